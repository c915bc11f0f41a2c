// wrong: a kernel counts by atomics, and a kernel of another stream reads the counts: no event.
#include "checked_calls.h"

const int BINS = 32;

__global__ void histogram(int n, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&count[i * 11 % BINS], 1);  // race A
}

__global__ void scan(const int *count, int *first) {
    int sum = 0;
    for (int k = 0; k < int(threadIdx.x); ++k) sum += count[k];  // race B
    first[threadIdx.x] = sum;
}

int main() {
    const int n = 3200;
    int *count, *first;
    CHECK(cudaMalloc(&count, BINS * sizeof(int)));
    CHECK(cudaMalloc(&first, BINS * sizeof(int)));
    CHECK(cudaMemset(count, 0, BINS * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    cudaStream_t one, other;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&other));
    histogram<<<n / 64, 64, 0, one>>>(n, count);
    scan<<<1, BINS, 0, other>>>(count, first);
    CHECK(cudaDeviceSynchronize());
    std::vector<int> got(BINS);
    CHECK(cudaMemcpy(got.data(), first, BINS * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int k = 0; k < BINS; ++k) ok = ok && got[k] == k * n / BINS;
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(count));
    CHECK(cudaFree(first));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
