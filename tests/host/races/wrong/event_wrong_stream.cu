// wrong: the event is recorded in the consumer's stream, so waiting for it orders
// nothing, the two lines that race: the store and the read of a[].
#include "checked_calls.h"

__global__ void produce(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = i * i % 1009;  // race A
}

__global__ void consume(const int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i] + a[n - 1 - i];  // race B
}

int main() {
    const int n = 2500, block = 128, grid = (n + block - 1) / block;
    int *a, *b;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMalloc(&b, n * sizeof(int)));
    cudaStream_t make, use;
    cudaEvent_t made;
    CHECK(cudaStreamCreateWithFlags(&make, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&use, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    produce<<<grid, block, 0, make>>>(a, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(made, use));  // should be: make
    CHECK(cudaStreamWaitEvent(use, made, 0));
    consume<<<grid, block, 0, use>>>(a, b, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::vector<int> got(n);
    CHECK(cudaMemcpy(got.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i) {
        int j = n - 1 - i;
        ok = ok && got[i] == i * i % 1009 + j * j % 1009;
    }
    CHECK(cudaEventDestroy(made));
    CHECK(cudaStreamDestroy(make));
    CHECK(cudaStreamDestroy(use));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
