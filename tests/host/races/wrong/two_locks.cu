// wrong: blocks add to one total under two different locks, so two may be inside at
// once, the two lines that race: *total += s of one lock's holder and of the other's.
#include "checked_calls.h"

const int BLOCK = 64;

__device__ int locks[2] = {0, 0};

__global__ void add_up(const int *in, int *total) {
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    atomicAdd(&s, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        int *lock = &locks[blockIdx.x % 2];
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        *total += s;  // race A B
        __threadfence();
        atomicExch(lock, 0);
    }
}

int main() {
    const int grid = 16, n = grid * BLOCK;
    std::vector<int> h(n);
    int want = 0, got = 0;
    for (int i = 0; i < n; ++i) want += h[i] = i % 19;
    int *in, *total;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof(int)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(total, 0, sizeof(int)));
    add_up<<<grid, BLOCK>>>(in, total);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, total, sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = got == want;
    CHECK(cudaFree(in));
    CHECK(cudaFree(total));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
