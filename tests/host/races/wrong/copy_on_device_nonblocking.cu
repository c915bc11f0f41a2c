// wrong: cudaMemcpy returns before a copy from device memory to device memory is made, and a
// non-blocking stream does not wait for it, the two that race: the cudaMemcpy and the kernel.
#include "checked_calls.h"

__global__ void next(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = a[i] + 1;  // race A
}

int main() {
    const int n = 3000, block = 128;
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i * 5;
    int *first, *a;
    CHECK(cudaMalloc(&first, n * sizeof(int)));
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    cudaStream_t work;
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CHECK(cudaMemcpy(first, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(a, first, n * sizeof(int), cudaMemcpyDeviceToDevice));  // race B
    next<<<(n + block - 1) / block, block, 0, work>>>(a, n);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(work));
    CHECK(cudaMemcpy(got.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && got[i] == i * 5 + 1;
    CHECK(cudaStreamDestroy(work));
    CHECK(cudaFree(first));
    CHECK(cudaFree(a));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
