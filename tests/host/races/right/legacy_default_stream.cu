// right: two blocking streams have no event between them, but each hand-over goes
// through a kernel in the legacy default stream, which waits for both and they for it.
// Compile without --default-stream per-thread.
#include "checked_calls.h"

__global__ void fill(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = i;
}

__global__ void reverse(const int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[n - 1 - i] + 1;
}

__global__ void pairs(const int *b, int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = b[i] + b[(i + 1) % n];
}

int main() {
    const int n = 2500, block = 128, grid = (n + block - 1) / block;
    int *a, *b;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMalloc(&b, n * sizeof(int)));
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    fill<<<grid, block, 0, first>>>(a, n);
    CHECK(cudaGetLastError());
    reverse<<<grid, block>>>(a, b, n);
    CHECK(cudaGetLastError());
    pairs<<<grid, block, 0, second>>>(b, a, n);
    CHECK(cudaGetLastError());
    std::vector<int> got(n);
    CHECK(cudaMemcpy(got.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && got[i] == n - i + (n - (i + 1) % n);
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
