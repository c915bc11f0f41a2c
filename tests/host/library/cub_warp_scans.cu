// CUB's scans and reductions of warps and of groups of lanes, in all forms, with an operator that
// does not commute, against plain loops.
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include "cub_affine.h"

/// Writes each result behind the last one.
struct writer {
    affine* out;
    int self, count;
    __device__ void put(const affine& one) {
        out[self] = one;
        out += count;
        __syncthreads();
    }
};

/// Groups of `Lanes` lanes. Only the first lane of a group has a reduction's result.
template <int Lanes>
__global__ void scan_warps(const affine* in, affine* out) {
    using scan = cub::WarpScan<affine, Lanes>;
    using reduce = cub::WarpReduce<affine, Lanes>;
    __shared__ typename scan::TempStorage rooms[96 / Lanes];
    __shared__ typename reduce::TempStorage reduce_rooms[96 / Lanes];
    const int group = threadIdx.x / Lanes, lane = threadIdx.x % Lanes;
    scan scans(rooms[group]);
    reduce reduces(reduce_rooms[group]);
    const affine own = in[threadIdx.x];
    affine result = none, other = none, all = none;
    writer to{out, static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)};
    const auto open = [&](const affine& value) { return lane == 0 ? affine{} : value; };
    scans.InclusiveSum(own, result), to.put(result);
    scans.InclusiveSum(own, result, all), to.put(result), to.put(all);
    scans.ExclusiveSum(own, result), to.put(result);
    scans.ExclusiveSum(own, result, all), to.put(result), to.put(all);
    scans.InclusiveScan(own, result, after()), to.put(result);
    scans.InclusiveScan(own, result, after(), all), to.put(result), to.put(all);
    scans.InclusiveScan(own, result, first, after()), to.put(result);
    scans.InclusiveScan(own, result, first, after(), all), to.put(result), to.put(all);
    scans.ExclusiveScan(own, result, after()), to.put(open(result));
    scans.ExclusiveScan(own, result, after(), all), to.put(open(result)), to.put(all);
    scans.ExclusiveScan(own, result, first, after()), to.put(result);
    scans.ExclusiveScan(own, result, first, after(), all), to.put(result), to.put(all);
    scans.Scan(own, result, other, after()), to.put(result), to.put(open(other));
    scans.Scan(own, result, other, first, after()), to.put(result), to.put(other);
    const auto sum = [&](const affine& value) { to.put(lane == 0 ? value : affine{}); };
    sum(reduces.Sum(own));
    sum(reduces.Sum(own, Lanes - 3));
    sum(reduces.Reduce(own, after()));
    sum(reduces.Reduce(own, after(), Lanes - 3));
    sum(reduces.HeadSegmentedReduce(own, lane == Lanes - 2, after()));
    sum(reduces.TailSegmentedReduce(own, lane == Lanes - 3, after()));
}

template <int Lanes>
void try_warps(const char* what, const affines& in, int block) {
    affine* const out = managed(affines(100 * block));
    scan_warps<Lanes><<<1, block>>>(managed(in), out);
    wait_for_device(what);
    named wanted;
    const auto add = [&](int row, const char* name, const affines& values) {
        if (row == static_cast<int>(wanted.size())) wanted.push_back({name, {}});
        wanted[row].second.insert(wanted[row].second.end(), values.begin(), values.end());
    };
    for (int begin = 0; begin < block; begin += Lanes) {
        const affines group(in.begin() + begin, in.begin() + begin + Lanes);
        const affines sums = inclusive(group, then()), turned = inclusive(group, after());
        const affines from = inclusive_from(first, group, after());
        const affines before = exclusive_from(first, group, after()),
                      open = exclusive(group, after());
        const affines zero = exclusive_from(affine{0, 0}, group, then());
        const affines all(Lanes, sums.back()), all_turned(Lanes, turned.back());
        const auto lone = [](const affine& value) {
            affines values(Lanes, none);
            values[0] = value;
            return values;
        };
        const affine part = sums[Lanes - 4], part_turned = turned[Lanes - 4];
        const std::pair<const char*, affines> rows[] = {
            {"InclusiveSum", sums},
            {"InclusiveSum and all", sums},
            {"all of InclusiveSum", all},
            {"ExclusiveSum", zero},
            {"ExclusiveSum and all", zero},
            {"all of ExclusiveSum", all},
            {"InclusiveScan", turned},
            {"InclusiveScan and all", turned},
            {"all of InclusiveScan", all_turned},
            {"InclusiveScan from a value", from},
            {"InclusiveScan from a value and all", from},
            {"its all", all_turned},
            {"ExclusiveScan", open},
            {"ExclusiveScan and all", open},
            {"all of ExclusiveScan", all_turned},
            {"ExclusiveScan from a value", before},
            {"ExclusiveScan from a value and all", before},
            {"its all", all_turned},
            {"Scan", turned},
            {"Scan's exclusive part", open},
            {"Scan from a value", from},
            {"its exclusive part", before},
            {"Sum", lone(sums.back())},
            {"Sum of some", lone(part)},
            {"Reduce", lone(turned.back())},
            {"Reduce of some", lone(part_turned)},
            {"HeadSegmentedReduce", lone(turned[Lanes - 3])},
            {"TailSegmentedReduce", lone(turned[Lanes - 3])}};
        int row = 0;
        for (const auto& [name, values] : rows) add(row++, name, values);
    }
    compare(what, out, wanted);
}

int main() {
    affines in;
    unsigned state = 99;
    for (int i = 0; i < 96; ++i) {
        state = state * 1664525u + 1013904223u;
        in.push_back({state >> 8 | 1, state >> 12});
    }
    try_warps<32>("whole warps", in, 96);
    try_warps<8>("eighths", in, 96);
    try_warps<12>("a part of a warp", in, 12);
    return verdict();
}
