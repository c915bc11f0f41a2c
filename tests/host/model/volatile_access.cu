// volatile in device code: warps in step by it, locks, the last block's sums.
#include "check.h"

// With __syncwarp between the steps, as it has to be since Volta.
__device__ void warp_reduce(volatile int* cells, int t) {
    for (int step = 32; step > 0; step /= 2) {
        const int other = cells[t + step];
        __syncwarp();
        cells[t] = cells[t] + other;
        __syncwarp();
    }
}
__global__ void sums(const int* values, int* out) {
    __shared__ int cells[64];
    const int t = threadIdx.x;
    cells[t] = values[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 32) warp_reduce(cells, t);
    if (t == 0) out[blockIdx.x] = cells[0];
}

__device__ int lock;
__device__ volatile int guarded;
__global__ void locked() {
    if (threadIdx.x != 0) return;
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence();
    guarded = guarded + 1;
    __threadfence();
    atomicExch(&lock, 0);
}

__global__ void small(int* out) {
    static __shared__ volatile unsigned short cells[4];
    if (threadIdx.x < 4) cells[threadIdx.x] = 65535 + threadIdx.x;
    __syncthreads();
    if (threadIdx.x < 4) out[threadIdx.x] = cells[3 - threadIdx.x];
}

int main() {
    const int blocks = 20, n = blocks * 64;
    std::vector<int> values(n);
    for (int i = 0; i < n; ++i) values[i] = (i * 31) % 77;
    int *in = device<int>(n), *out = device<int>(blocks);
    OK(cudaMemcpy(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    sums<<<blocks, 64>>>(in, out);
    std::vector<int> got = taken(out, blocks);
    OK(cudaFree(in));
    for (int b = 0; b < blocks; ++b) {
        int sum = 0;
        for (int i = b * 64; i < b * 64 + 64; ++i) sum += values[i];
        expect("sum", b, got[b], sum);
    }
    locked<<<100, 33>>>();
    OK(cudaDeviceSynchronize());
    int count = 0;
    OK(cudaMemcpyFromSymbol(&count, guarded, sizeof count));
    expect("under the lock", 0, count, 100);
    out = device<int>(4);
    small<<<1, 32>>>(out);
    got = taken(out, 4);
    const int want[4] = {2, 1, 0, 65535};
    for (int i = 0; i < 4; ++i) expect("small", i, got[i], want[i]);
    return verdict();
}
