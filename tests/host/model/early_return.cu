// Threads that return before a barrier or a warp operation count no more.
#include "check.h"

// The usual guard on top, barriers below: the last block is partly out of range.
__global__ void block_sums(const int* values, int* sums, int n) {
    __shared__ int total;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) total = 0;
    if (i >= n) return;
    __syncthreads();
    atomicAdd(&total, values[i]);
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

__global__ void counts_left(int* out) {
    const int t = threadIdx.x;
    if (t >= 90) return;
    const int first = __syncthreads_count(1);
    if (t % 2 == 1) return;
    const int second = __syncthreads_count(1);
    const int third = __syncthreads_and(t % 2 == 0);
    if (t != 4) return;
    __syncthreads();
    out[0] = first;
    out[1] = second;
    out[2] = third != 0;
    out[3] = __syncthreads_count(t);
}

// A whole warp leaves, the others meet.
__global__ void warp_leaves(int* out) {
    __shared__ int cell[128];
    const int t = threadIdx.x;
    cell[t] = 5;
    __syncthreads();
    if (t / 32 == 2) return;
    cell[t] = t;
    __syncthreads();
    out[t] = cell[127 - t];
}

// Threads leave in the midst of a loop with barriers, one a round.
__global__ void one_a_round(int* out) {
    __shared__ int round;
    const int t = threadIdx.x;
    for (int r = 0;; ++r) {
        if (t == r) {
            round = r;
            out[t] = r;
        }
        __syncthreads();
        if (round == t) return;
        __syncthreads();
    }
}

__global__ void lanes_leave(unsigned* out) {
    const int lane = threadIdx.x;
    if (lane >= 20) return;
    out[lane] = __ballot_sync(0xffffffffu, lane % 2);
    if (lane % 2 == 0) return;
    out[32 + lane] = __any_sync(0xffffffffu, lane == 3) != 0;
    out[64 + lane] = __all_sync(0xffffffffu, lane % 2 == 1) != 0;
}

int main() {
    const int n = 1000, threads = 96, blocks = (n + threads - 1) / threads;
    std::vector<int> values(n);
    for (int i = 0; i < n; ++i) values[i] = i;
    int* in = device<int>(n);
    OK(cudaMemcpy(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    int* sums = device<int>(blocks);
    block_sums<<<blocks, threads>>>(in, sums, n);
    std::vector<int> got = taken(sums, blocks);
    OK(cudaFree(in));
    for (int b = 0; b < blocks; ++b) {
        int want = 0;
        for (int i = b * threads; i < n && i < (b + 1) * threads; ++i) want += i;
        expect("sum of a block", b, got[b], want);
    }
    int* out = device<int>(4);
    counts_left<<<1, 128>>>(out);
    got = taken(out, 4);
    const int left[4] = {90, 45, 1, 1};
    for (int i = 0; i < 4; ++i) expect("left", i, got[i], left[i]);

    out = device<int>(128);
    warp_leaves<<<1, 128>>>(out);
    got = taken(out, 128);
    for (int t = 0; t < 128; ++t)
        expect("warp leaves", t, got[t], t / 32 == 2 ? -1 : t / 32 == 1 ? 5 : 127 - t);

    out = device<int>(50);
    one_a_round<<<1, 50>>>(out);
    got = taken(out, 50);
    for (int t = 0; t < 50; ++t) expect("one a round", t, got[t], t);

    unsigned* votes = device<unsigned>(96);
    lanes_leave<<<1, 32>>>(votes);
    const std::vector<unsigned> vote = taken(votes, 96);
    for (int lane = 0; lane < 32; ++lane) {
        const bool odd = lane < 20 && lane % 2 == 1;
        expect("ballot of those left", lane, vote[lane], lane < 20 ? 0xaaaaau : ~0u);
        expect("any of those left", lane, vote[32 + lane], odd ? 1 : ~0u);
        expect("all of those left", lane, vote[64 + lane], odd ? 1 : ~0u);
    }
    return verdict();
}
