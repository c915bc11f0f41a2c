// cg's reductions and scans that end in an atomic object: reduce_update_async, reduce_store_async,
// inclusive_scan_update and exclusive_scan_update.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cuda/atomic>

#include "check.h"

namespace cg = cooperative_groups;
template <class T>
using counter = cuda::atomic_ref<T, cuda::thread_scope_device>;

__host__ __device__ int number(int t) { return (t * 53 + 7) % 61 - 20; }

template <int size>
__global__ void reduced(int* out, double* wide, int* stored) {
    __shared__ cg::block_tile_memory<128> memory;
    const auto tile = cg::tiled_partition<size>(cg::this_thread_block(memory));
    const int t = threadIdx.x, v = number(t);
    counter<int> sum(out[0]), least(out[1]), most(out[2]), bits(out[3]);
    cg::reduce_update_async(tile, sum, v, cg::plus<int>());
    cg::reduce_update_async(tile, least, v, cg::less<int>());
    cg::reduce_update_async(tile, most, v, cg::greater<int>());
    cg::reduce_update_async(tile, bits, 1 << (t % 31), cg::bit_or<int>());
    cuda::atomic<double, cuda::thread_scope_device>& halves =
        *reinterpret_cast<cuda::atomic<double, cuda::thread_scope_device>*>(wide);
    cg::reduce_update_async(tile, halves, v * 0.5, cg::plus<double>());
    cg::reduce_store_async(tile, stored + t / size, v, cg::plus<int>());
    counter<int> last(stored[128]);
    cg::reduce_store_async(tile, last, 7, cg::greater<int>());
}

/// `threads` need not fill the last tile.
template <int size>
static void check_reductions(int threads) {
    int want[4] = {5, 1000, -1000, 0};
    double halves = 0.25;
    for (int t = 0; t < threads; ++t) {
        const int v = number(t);
        want[0] += v, halves += v * 0.5, want[3] |= 1 << (t % 31);
        want[1] = v < want[1] ? v : want[1], want[2] = v > want[2] ? v : want[2];
    }
    const int begin[4] = {5, 1000, -1000, 0};
    const double quarter = 0.25;
    int *out = device<int>(4), *stored = device<int>(129);
    double* wide = device<double>(1);
    OK(cudaMemcpy(out, begin, sizeof begin, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(wide, &quarter, sizeof quarter, cudaMemcpyHostToDevice));
    reduced<size><<<1, threads>>>(out, wide, stored);
    const std::vector<int> got = taken(out, 4), kept = taken(stored, 129);
    for (int k = 0; k < 4; ++k) expect("update", size * 10 + k, got[k], want[k]);
    expect("update of a double", size, taken(wide, 1)[0], halves);
    for (int first = 0; first < threads; first += size) {
        int sum = 0;
        for (int t = first; t < first + size && t < threads; ++t) sum += number(t);
        expect("stored", size * 1000 + first, kept[first / size], sum);
    }
    expect("stored in an atomic object", size, kept[128], 7);
}

// Each thread asks for a number of places; together they are one array without holes.
template <int size>
__global__ void placed(int* end, int* owner, int* inclusive) {
    __shared__ cg::block_tile_memory<128> memory;
    const auto tile = cg::tiled_partition<size>(cg::this_thread_block(memory));
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, wanted = thread % 4;
    counter<int> places(end[0]), same(end[1]);
    const int first = cg::exclusive_scan_update(tile, places, wanted, cg::plus<int>());
    for (int i = 0; i < wanted; ++i) owner[first + i] = thread;
    inclusive[thread] = cg::inclusive_scan_update(tile, same, wanted);
}

template <int size>
static void check_scans(int threads) {
    const int blocks = 3, all = blocks * threads;
    int total = 0;
    for (int t = 0; t < all; ++t) total += t % 4;
    int *end = device<int>(2), *owner = device<int>(2 * all), *inclusive = device<int>(all);
    OK(cudaMemset(end, 0, 2 * sizeof(int)));
    placed<size><<<blocks, threads>>>(end, owner, inclusive);
    const std::vector<int> ends = taken(end, 2), owners = taken(owner, 2 * all);
    const std::vector<int> last = taken(inclusive, all);
    expect("places", size, ends[0], total);
    expect("places by default", size, ends[1], total);
    std::vector<int> count(all), taken_by(total, -1);
    for (int i = 0; i < total; ++i) {
        const int t = owners[i];
        if (t < 0 || t >= all)
            expect("a place's owner", i, t, 0);
        else if (count[t]++ > 0)
            expect("a thread's places are side by side", i, owners[i - 1], t);
    }
    for (int t = 0; t < all; ++t) {
        expect("a thread's places", t, count[t], t % 4);
        for (int i = last[t] - t % 4; i < last[t]; ++i) {
            expect("inclusive: the place is free", i, taken_by.at(i), -1);
            taken_by.at(i) = t;
        }
    }
}

__global__ void of_coalesced(int* out) {
    const int lane = threadIdx.x;
    if (lane % 3 != 1) return;
    const cg::coalesced_group group = cg::coalesced_threads();
    counter<int> sum(out[0]), places(out[1]);
    cg::reduce_update_async(group, sum, lane, cg::plus<int>());
    out[2 + cg::exclusive_scan_update(group, places, 1)] = lane;
}

/// An atomic reference that nobody keeps.
__global__ void of_temporary(int* out) {
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    cg::reduce_update_async(tile, cuda::atomic_ref<int, cuda::thread_scope_device>(*out),
                            static_cast<int>(threadIdx.x), cg::plus<int>());
}

int main() {
    check_reductions<1>(96);
    check_reductions<8>(96);
    check_reductions<32>(96);
    check_reductions<32>(72);
    check_reductions<64>(128);
    check_scans<4>(96);
    check_scans<32>(96);
    check_scans<32>(72);
    check_scans<64>(128);
    int* out = device<int>(2 + 32);
    OK(cudaMemset(out, 0, 2 * sizeof(int)));
    of_temporary<<<1, 64>>>(out);
    int of_all = 0;
    OK(cudaMemcpy(&of_all, out, sizeof of_all, cudaMemcpyDeviceToHost));
    OK(of_all == 63 * 32 ? cudaSuccess : cudaErrorUnknown);
    OK(cudaMemset(out, 0, 2 * sizeof(int)));
    of_coalesced<<<1, 32>>>(out);
    const std::vector<int> got = taken(out, 2 + 32);
    expect("a coalesced group's sum", 0, got[0], 176);
    expect("a coalesced group's places", 0, got[1], 11);
    int sum = 0;
    for (int i = 0; i < 11; ++i) sum += got[2 + i];
    expect("who has them", 0, sum, 176);
    return verdict();
}
