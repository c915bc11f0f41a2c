// coalesced_threads() and __activemask() in a function that a kernel calls from several places: each call has
// the lanes of its own branch, whether the function is expanded there or not, and what they get together is
// added to the counter of their call.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__device__ int grouped(int* counter) {
    auto lanes = cg::coalesced_threads();
    int first = 0;
    if (lanes.thread_rank() == 0) first = atomicAdd(counter, static_cast<int>(lanes.size()));
    return lanes.shfl(first, 0) + static_cast<int>(lanes.thread_rank());
}

template <class T>
__attribute__((noinline)) __device__ T masked(T* counter) {
    const unsigned lanes = __activemask(), lane = threadIdx.x % 32;
    const int leader = __ffs(lanes) - 1;
    T first = 0;
    if (lane == leader) first = atomicAdd(counter, static_cast<T>(__popc(lanes)));
    return __shfl_sync(lanes, first, leader) + __popc(lanes & ((1u << lane) - 1));
}

// It is called in one place, in a function that is called in two.
__attribute__((noinline)) __device__ int grouped_once(int* counter) {
    auto lanes = cg::coalesced_threads();
    int first = 0;
    if (lanes.thread_rank() == 0) first = atomicAdd(counter, static_cast<int>(lanes.size()));
    return lanes.shfl(first, 0) + static_cast<int>(lanes.thread_rank());
}
__attribute__((noinline)) __device__ void keep(int* counter, int* kept, int i) {
    kept[grouped_once(counter)] = i;
}

// g++ may write the meeting twice, once for each side of the condition: the warp meets all the same.
__device__ unsigned behind_a_branch(int* counter, bool odd) {
    const int x = odd ? atomicAdd(counter, 1) : atomicAdd(counter + 1, 2);
    auto lanes = cg::coalesced_threads();
    if (odd) atomicAdd(counter + 2, x);
    return lanes.size();
}

// Other things of the same name.
struct row {
    __device__ int coalesced_threads() const { return 1; }
};
__device__ int twice(const row& r) { return r.coalesced_threads() + r.coalesced_threads(); }

__global__ void split(int n, int* counters, int* kept) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (i % 3 == 0)
        kept[grouped(&counters[0])] = i;
    else if (i % 3 == 1)
        kept[n + grouped(&counters[1])] = i;
    else
        kept[2 * n + grouped(&counters[2])] = i;
    if (i % 2 == 0)
        kept[3 * n + masked(&counters[3])] = i;
    else
        kept[4 * n + masked(&counters[4])] = i;
    if (i % 5 < 2)
        keep(&counters[5], kept + 5 * n, i);
    else
        keep(&counters[6], kept + 6 * n, i);
}

__global__ void whole_warp(int* counter, int* smaller) {
    const int i = threadIdx.x;
    if (behind_a_branch(counter, i % 2) != 32) atomicAdd(smaller, 1);
    if (behind_a_branch(counter, i % 4 < 2) != 32) atomicAdd(smaller, 1);
    if (twice(row()) != 2) atomicAdd(smaller, 1);
}

int main() {
    constexpr int n = 1000;
    int *counters = managed<int>(11, 0), *kept = managed<int>(7 * n);
    split<<<4, 256>>>(n, counters, kept);
    whole_warp<<<1, 32>>>(counters + 7, counters + 10);
    wait_for_device();
    for (int c = 0; c < 7; ++c) {
        long long sum = 0, wanted = 0;
        int count = 0;
        for (int i = 0; i < n; ++i)
            if (c < 3 ? i % 3 == c : c < 5 ? i % 2 == c - 3 : (i % 5 >= 2) == (c == 6))
                ++count, wanted += i;
        for (int i = 0; i < counters[c]; ++i) sum += kept[c * n + i];
        expect("lanes", c, counters[c], count);
        expect("their numbers", c, sum, wanted);
    }
    MUST(counters[10] == 0);
    return verdict();
}
