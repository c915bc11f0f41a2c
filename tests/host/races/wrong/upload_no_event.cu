// wrong: an asynchronous upload in one stream and a kernel in another have no event
// between them, the two lines that race: the cudaMemcpyAsync and the read of in[].
#include "checked_calls.h"

__global__ void scale(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * 4;  // race A
}

int main() {
    const int n = 4000, block = 128;
    int *host, *in, *out;
    CHECK(cudaMallocHost(&host, n * sizeof(int)));
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    for (int i = 0; i < n; ++i) host[i] = i * 3 % 77;
    cudaStream_t upload, compute;
    CHECK(cudaStreamCreateWithFlags(&upload, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
    CHECK(cudaMemcpyAsync(in, host, n * sizeof(int), cudaMemcpyHostToDevice, upload));  // race B
    scale<<<(n + block - 1) / block, block, 0, compute>>>(in, out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::vector<int> got(n);
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && got[i] == host[i] * 4;
    CHECK(cudaStreamDestroy(upload));
    CHECK(cudaStreamDestroy(compute));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
