// wrong: the host refills a mapped staging buffer while the last launch may still read
// it, the two lines that race: the host's store of stage[i] and the kernel's read.
#include "checked_calls.h"

__global__ void copy_out(const int *stage, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = stage[i] + 1;  // race A
}

int main() {
    const int n = 1000, block = 128, rounds = 4;
    int *stage, *dstage, *out;
    CHECK(cudaHostAlloc(&stage, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&dstage, stage, 0));
    CHECK(cudaMalloc(&out, rounds * n * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int r = 0; r < rounds; ++r) {
        for (int i = 0; i < n; ++i) stage[i] = r * n + i;  // race B
        copy_out<<<(n + block - 1) / block, block, 0, stream>>>(dstage, out + r * n, n);
        CHECK(cudaGetLastError());
        // missing: cudaStreamSynchronize(stream) before the next refill
    }
    CHECK(cudaStreamSynchronize(stream));
    std::vector<int> got(rounds * n);
    CHECK(cudaMemcpy(got.data(), out, rounds * n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < rounds * n; ++i) ok = ok && got[i] == i + 1;
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(stage));
    CHECK(cudaFree(out));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
