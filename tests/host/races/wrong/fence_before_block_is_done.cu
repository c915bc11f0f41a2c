// wrong: thread 0 fences and takes the ticket with no __syncthreads after the other
// threads' stores, the two lines that race: the store and the read of square[].
#include "checked_calls.h"

__device__ unsigned int tickets = 0;

__global__ void sum_squares(const int *in, int *square, int n, int *total) {
    __shared__ bool last;
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    if (i < n) square[i] = in[i] * in[i];  // race A
    // missing: __syncthreads()
    if (tid == 0) {
        __threadfence();
        last = atomicAdd(&tickets, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int k = tid; k < n; k += blockDim.x) sum += square[k];  // race B
        atomicAdd(total, sum);
    }
}

int main() {
    const int n = 2000, block = 128;
    std::vector<int> h(n);
    int want = 0, got = 0;
    for (int i = 0; i < n; ++i) {
        h[i] = i % 21 - 10;
        want += h[i] * h[i];
    }
    int *in, *square, *total;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&square, n * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof(int)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(total, 0, sizeof(int)));
    sum_squares<<<(n + block - 1) / block, block>>>(in, square, n, total);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, total, sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = got == want;
    CHECK(cudaFree(in));
    CHECK(cudaFree(square));
    CHECK(cudaFree(total));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
