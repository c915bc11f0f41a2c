// right: a block's partial sum is published by __threadfence and atomicInc; only
// the block that takes the last ticket reads the partial sums, after a fence.
#include "checked_calls.h"

const int BLOCK = 128, GRID = 24;

__device__ unsigned int retired = 0;

__global__ void reduce(const int *in, int n, int *partial, int *total) {
    __shared__ int s[BLOCK];
    __shared__ bool last;
    int tid = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * BLOCK + tid; i < n; i += BLOCK * gridDim.x)
        sum += in[i];
    s[tid] = sum;
    __syncthreads();
    for (int h = BLOCK / 2; h > 0; h /= 2) {
        if (tid < h) s[tid] += s[tid + h];
        __syncthreads();
    }
    if (tid == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        unsigned int ticket = atomicInc(&retired, gridDim.x - 1);
        last = ticket == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last) return;
    sum = 0;
    for (int b = tid; b < gridDim.x; b += BLOCK) sum += partial[b];
    s[tid] = sum;
    __syncthreads();
    for (int h = BLOCK / 2; h > 0; h /= 2) {
        if (tid < h) s[tid] += s[tid + h];
        __syncthreads();
    }
    if (tid == 0) *total = s[0];
}

int main() {
    const int n = 10000;
    std::vector<int> h(n);
    int want = 0;
    for (int i = 0; i < n; ++i) want += h[i] = i % 17 - 5;
    int *in, *partial, *total;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&partial, GRID * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof(int)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    bool ok = true;
    for (int round = 0; round < 2; ++round) {  // atomicInc wraps: no reset between
        reduce<<<GRID, BLOCK>>>(in, n, partial, total);
        CHECK(cudaGetLastError());
        int got = 0;
        CHECK(cudaMemcpy(&got, total, sizeof(int), cudaMemcpyDeviceToHost));
        ok = ok && got == want;
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(partial));
    CHECK(cudaFree(total));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
