// right: a host function queued in the stream rewrites mapped memory between two
// kernels of that stream; the main thread reads only after the stream is done.
#include "checked_calls.h"

const int N = 512;

__global__ void square(int *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = a[i] * a[i];
}

__global__ void differences(const int *a, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[(i + 1) % N] - a[i];
}

void CUDART_CB shift_all(void *arg) {
    int *a = (int *)arg;
    for (int i = 0; i < N; ++i) a[i] += i;
}

int main() {
    int *a, *out, *da, *dout;
    CHECK(cudaHostAlloc(&a, N * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&out, N * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&da, a, 0));
    CHECK(cudaHostGetDevicePointer(&dout, out, 0));
    for (int i = 0; i < N; ++i) a[i] = i;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    square<<<N / 128, 128, 0, stream>>>(da);
    CHECK(cudaGetLastError());
    CHECK(cudaLaunchHostFunc(stream, shift_all, a));
    differences<<<N / 64, 64, 0, stream>>>(da, dout);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    bool ok = true;
    for (int i = 0; i < N; ++i) {
        int j = (i + 1) % N;
        ok = ok && a[i] == i * i + i && out[i] == j * j + j - (i * i + i);
    }
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(a));
    CHECK(cudaFreeHost(out));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
