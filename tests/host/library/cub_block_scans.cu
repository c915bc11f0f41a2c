// CUB's scans and reductions of blocks, in all forms and by all algorithms, with an operator that
// does not commute, against plain loops.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "cub_affine.h"

struct times {
    __host__ __device__ unsigned operator()(unsigned a, unsigned b) const { return a * b; }
};

// Three dimensions, and no whole number of warps.
constexpr int width = 8, height = 5, depth = 2, threads = width * height * depth, own_items = 3;
/// Goes on from block to block.
struct running {
    affine upto;
    __device__ affine operator()(const affine& block) {
        const affine before = upto;
        upto = before + block;
        return before;
    }
};

/// Writes each result behind the last one.
struct writer {
    affine* out;
    int self, count;
    __device__ void put(const affine& one) {
        out[self] = one;
        out += count;
        __syncthreads();
    }
    __device__ void put(const affine (&some)[own_items]) {
        for (int i = 0; i < own_items; ++i) out[self * own_items + i] = some[i];
        out += count * own_items;
        __syncthreads();
    }
};

__device__ void clear_first(affine& one) {
    one = threadIdx.x + threadIdx.y + threadIdx.z == 0 ? none : one;
}
__device__ void clear_first(affine (&some)[own_items]) { clear_first(some[0]); }

/// `V` is an item, or an array of a thread's items.
template <class Scan, class V>
__device__ void block_forms(typename Scan::TempStorage& room, V& in, V& out, writer& to) {
    running prefix{first};
    affine all = none;
    Scan(room).InclusiveSum(in, out), to.put(out);
    Scan(room).InclusiveSum(in, out, all), to.put(out), to.put(all);
    Scan(room).InclusiveSum(in, out, prefix), to.put(out);
    Scan(room).ExclusiveSum(in, out), to.put(out);
    Scan(room).ExclusiveSum(in, out, all), to.put(out), to.put(all);
    Scan(room).ExclusiveSum(in, out, prefix), to.put(out);
    Scan(room).InclusiveScan(in, out, after()), to.put(out);
    Scan(room).InclusiveScan(in, out, after(), all), to.put(out), to.put(all);
    Scan(room).InclusiveScan(in, out, then(), prefix), to.put(out);
    Scan(room).ExclusiveScan(in, out, first, after()), to.put(out);
    Scan(room).ExclusiveScan(in, out, first, after(), all), to.put(out), to.put(all);
    Scan(room).ExclusiveScan(in, out, then(), prefix), to.put(out);
    Scan(room).ExclusiveScan(in, out, after()), clear_first(out), to.put(out);
    Scan(room).ExclusiveScan(in, out, after(), all), clear_first(out), to.put(out), to.put(all);
    // Lane 0's one has met all blocks.
    if (to.self == 0) *to.out = prefix.upto;
    ++to.out;
}

template <cub::BlockScanAlgorithm Algorithm>
__global__ void scan_blocks(const affine* in, affine* out) {
    using scan = cub::BlockScan<affine, width, Algorithm, height, depth>;
    __shared__ typename scan::TempStorage room;
    writer to{out, static_cast<int>((threadIdx.z * height + threadIdx.y) * width + threadIdx.x),
              threads};
    affine one = in[to.self], result = none, some[own_items], results[own_items], all = none;
    for (int i = 0; i < own_items; ++i) some[i] = in[to.self * own_items + i], results[i] = none;
    block_forms<scan>(room, one, result, to);
    block_forms<scan>(room, some, results, to);
    scan(room).InclusiveScan(some, results, first, then()), to.put(results);
    scan(room).InclusiveScan(some, results, first, after(), all), to.put(results), to.put(all);
}

/// What block_forms() writes.
named block_wanted(const affines& in) {
    const affines sums = inclusive(in, then()), turned = inclusive(in, after());
    const affines all(threads, sums.back()), all_turned(threads, turned.back());
    const affine once = first + sums.back(), twice = once + sums.back(),
                 thrice = twice + sums.back();
    return {{"InclusiveSum", sums},
            {"InclusiveSum and all", sums},
            {"all of InclusiveSum", all},
            {"InclusiveSum with a prefix", inclusive_from(first, in, then())},
            {"ExclusiveSum", exclusive_from(affine{0, 0}, in, then())},
            {"ExclusiveSum and all", exclusive_from(affine{0, 0}, in, then())},
            {"all of ExclusiveSum", all},
            {"ExclusiveSum with a prefix", exclusive_from(once, in, then())},
            {"InclusiveScan", turned},
            {"InclusiveScan and all", turned},
            {"all of InclusiveScan", all_turned},
            {"InclusiveScan with a prefix", inclusive_from(twice, in, then())},
            {"ExclusiveScan from a value", exclusive_from(first, in, after())},
            {"ExclusiveScan from a value and all", exclusive_from(first, in, after())},
            {"all of ExclusiveScan from a value", all_turned},
            {"ExclusiveScan with a prefix", exclusive_from(thrice, in, then())},
            {"ExclusiveScan", exclusive(in, after())},
            {"ExclusiveScan and all", exclusive(in, after())},
            {"all of ExclusiveScan", all_turned},
            {"the prefix in the end", {thrice + sums.back()}}};
}

template <cub::BlockScanAlgorithm Algorithm>
void try_block_scans(const char* what, const affines& in) {
    affine* const out = managed(affines(100 * threads * own_items));
    scan_blocks<Algorithm><<<1, dim3(width, height, depth)>>>(managed(in), out);
    wait_for_device(what);
    const affines ones(in.begin(), in.begin() + threads);
    named wanted = block_wanted(ones), more = block_wanted(in);
    wanted.insert(wanted.end(), more.begin(), more.end());
    const affines from_first = inclusive_from(first, in, after());
    wanted.push_back({"InclusiveScan from a value", inclusive_from(first, in, then())});
    wanted.push_back({"InclusiveScan from a value and all", from_first});
    wanted.push_back(
        {"all of InclusiveScan from a value", affines(threads, inclusive(in, after()).back())});
    compare(what, out, wanted);
}

/// The sums of a block are its first thread's.
template <class T, cub::BlockReduceAlgorithm Algorithm, class Op>
__global__ void reduce_block(const T* in, T* out, Op op) {
    using reduce = cub::BlockReduce<T, width, Algorithm, height, depth>;
    __shared__ typename reduce::TempStorage room;
    const int self = (threadIdx.z * height + threadIdx.y) * width + threadIdx.x;
    T some[own_items];
    for (int i = 0; i < own_items; ++i) some[i] = in[self * own_items + i];
    const auto put = [&](int form, T result) {
        if (self == 0) out[form] = result;
        __syncthreads();
    };
    put(0, reduce(room).Reduce(in[self], op));
    put(1, reduce(room).Reduce(in[self], op, 37));
    put(2, reduce(room).Reduce(some, op));
    put(3, reduce(room).Sum(in[self]));
    put(4, reduce(room).Sum(in[self], 37));
    put(5, reduce(room).Sum(some));
}

template <class T, cub::BlockReduceAlgorithm Algorithm, class Op, class Sum>
void try_block_reduction(const char* what, const std::vector<T>& in, Op op, Sum sum) {
    T* const out = managed(std::vector<T>(6));
    reduce_block<T, Algorithm><<<1, dim3(width, height, depth)>>>(managed(in), out, op);
    wait_for_device(what);
    const int counts[] = {threads, 37, threads * own_items};
    for (int form = 0; form < 6; ++form) {
        T wanted = in[0];
        for (int i = 1; i < counts[form % 3]; ++i)
            wanted = form < 3 ? op(wanted, in[i]) : sum(wanted, in[i]);
        if (fails(out[form] == wanted)) std::printf("%s: form %d is wrong\n", what, form);
    }
}

int main() {
    affines in;
    std::vector<unsigned> odd;
    unsigned state = 99;
    for (int i = 0; i < threads * own_items; ++i) {
        state = state * 1664525u + 1013904223u;
        in.push_back({state >> 8 | 1, state >> 12});
        odd.push_back(state >> 9 | 1);
    }
    try_block_scans<cub::BLOCK_SCAN_RAKING>("raking", in);
    try_block_scans<cub::BLOCK_SCAN_RAKING_MEMOIZE>("raking with a memory", in);
    try_block_scans<cub::BLOCK_SCAN_WARP_SCANS>("scans of warps", in);
    try_block_reduction<affine, cub::BLOCK_REDUCE_RAKING>("raking", in, after(), then());
    try_block_reduction<affine, cub::BLOCK_REDUCE_WARP_REDUCTIONS>("warps", in, after(), then());
    const auto plus = [](unsigned a, unsigned b) { return a + b; };
    try_block_reduction<unsigned, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>("commuting", odd,
                                                                             times(), plus);
    return verdict();
}
