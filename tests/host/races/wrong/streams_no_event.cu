// wrong: a kernel in one non-blocking stream reads what a kernel in another writes,
// with no event, the two lines that race: the store and the read of a[].
#include "checked_calls.h"

__global__ void produce(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = 3 * i + 1;  // race A
}

__global__ void consume(const int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[n - 1 - i] * 2;  // race B
}

int main() {
    const int n = 3000, block = 128, grid = (n + block - 1) / block;
    int *a, *b;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMalloc(&b, n * sizeof(int)));
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    produce<<<grid, block, 0, first>>>(a, n);
    CHECK(cudaGetLastError());
    consume<<<grid, block, 0, second>>>(a, b, n);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaStreamSynchronize(second));
    std::vector<int> got(n);
    CHECK(cudaMemcpy(got.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && got[i] == (3 * (n - 1 - i) + 1) * 2;
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
