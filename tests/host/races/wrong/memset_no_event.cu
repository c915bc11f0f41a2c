// wrong: counters are cleared by cudaMemsetAsync in one stream and counted up in
// another, the two lines that race: the cudaMemsetAsync and the atomicAdd.
#include "checked_calls.h"

const int BINS = 32;

__global__ void histogram(const int *key, int n, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&count[key[i]], 1);  // race A
}

int main() {
    const int n = 3000, block = 128;
    std::vector<int> h(n), want(BINS, 0), got(BINS);
    for (int i = 0; i < n; ++i) {
        h[i] = i * 11 % BINS;
        want[h[i]]++;
    }
    int *key, *count;
    CHECK(cudaMalloc(&key, n * sizeof(int)));
    CHECK(cudaMalloc(&count, BINS * sizeof(int)));
    CHECK(cudaMemcpy(key, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
    cudaStream_t clear, work;
    CHECK(cudaStreamCreateWithFlags(&clear, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CHECK(cudaMemsetAsync(count, 0, BINS * sizeof(int), clear));  // race B
    histogram<<<(n + block - 1) / block, block, 0, work>>>(key, n, count);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got.data(), count, BINS * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = got == want;
    CHECK(cudaStreamDestroy(clear));
    CHECK(cudaStreamDestroy(work));
    CHECK(cudaFree(key));
    CHECK(cudaFree(count));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
