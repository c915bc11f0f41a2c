// wrong: a cudaMemcpy in the legacy default stream does not wait for a non-blocking
// stream, the two lines that race: the kernel's store of a[i] and the cudaMemcpy.
#include "checked_calls.h"

__global__ void fill(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = i ^ 21;  // race A
}

int main() {
    const int n = 3000, block = 128;
    int *a;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    fill<<<(n + block - 1) / block, block, 0, stream>>>(a, n);
    CHECK(cudaGetLastError());
    // missing: cudaStreamSynchronize(stream)
    std::vector<int> got(n);
    CHECK(cudaMemcpy(got.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost));  // race B
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && got[i] == (i ^ 21);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(a));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
