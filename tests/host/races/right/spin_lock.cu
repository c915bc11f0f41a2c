// right: plain read-modify-writes of one record, all under one spin lock taken by
// one lane of each warp, with __threadfence after the lock and before the unlock.
#include "checked_calls.h"
#include <climits>

struct Stats {
    long long sum;
    int least, most, warps;
};

__device__ int mutex = 0;

__device__ void lock(int *m) {
    while (atomicCAS(m, 0, 1) != 0) {
    }
    __threadfence();
}

__device__ void unlock(int *m) {
    __threadfence();
    atomicExch(m, 0);
}

__global__ void gather(const int *in, int n, Stats *stats) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? in[i] : 0;
    int sum = v, least = v, most = v;
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
        least = min(least, __shfl_xor_sync(0xffffffffu, least, d));
        most = max(most, __shfl_xor_sync(0xffffffffu, most, d));
    }
    if (threadIdx.x % 32 == 0) {
        lock(&mutex);
        stats->sum += sum;
        if (least < stats->least) stats->least = least;
        if (most > stats->most) stats->most = most;
        stats->warps++;
        unlock(&mutex);
    }
}

int main() {
    const int n = 4096, block = 128;
    std::vector<int> h(n);
    Stats want = {0, INT_MAX, INT_MIN, n / 32}, got = {0, INT_MAX, INT_MIN, 0};
    for (int i = 0; i < n; ++i) {
        h[i] = i * 37 % 1009 - 200;
        want.sum += h[i];
        if (h[i] < want.least) want.least = h[i];
        if (h[i] > want.most) want.most = h[i];
    }
    int *in;
    Stats *stats;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&stats, sizeof(Stats)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(stats, &got, sizeof(Stats), cudaMemcpyHostToDevice));
    gather<<<n / block, block>>>(in, n, stats);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, stats, sizeof(Stats), cudaMemcpyDeviceToHost));
    bool ok = got.sum == want.sum && got.least == want.least && got.most == want.most &&
              got.warps == want.warps;
    CHECK(cudaFree(in));
    CHECK(cudaFree(stats));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
