// wrong: the host reads mapped memory after recording an event it does not wait for,
// the two lines that race: the kernel's store of out[] and the host's read of it.
#include "checked_calls.h"

__global__ void cubes(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i * i * i;  // race A
}

int main() {
    const int n = 1000, block = 128;
    int *out, *dout;
    CHECK(cudaHostAlloc(&out, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&dout, out, 0));
    for (int i = 0; i < n; ++i) out[i] = -1;
    cudaStream_t stream;
    cudaEvent_t done;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&done));
    cubes<<<(n + block - 1) / block, block, 0, stream>>>(dout, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(done, stream));
    // missing: cudaEventSynchronize(done)
    int right = 0;
    for (int i = 0; i < n; ++i) right += out[i] == i * i * i;  // race B
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(out));
    bool ok = right == n;
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
