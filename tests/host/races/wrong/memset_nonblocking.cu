// wrong: cudaMemset returns before the fill is made, and a non-blocking stream does not wait for it,
// the two that race: the cudaMemset and the atomicAdd.
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
        h[i] = i * 7 % BINS;
        want[h[i]]++;
    }
    int *key, *count;
    CHECK(cudaMalloc(&key, n * sizeof(int)));
    CHECK(cudaMalloc(&count, BINS * sizeof(int)));
    CHECK(cudaMemcpy(key, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    cudaStream_t work;
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CHECK(cudaMemset(count, 0, BINS * sizeof(int)));  // race B
    histogram<<<(n + block - 1) / block, block, 0, work>>>(key, n, count);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(work));
    CHECK(cudaMemcpy(got.data(), count, BINS * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = got == want;
    CHECK(cudaStreamDestroy(work));
    CHECK(cudaFree(key));
    CHECK(cudaFree(count));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
