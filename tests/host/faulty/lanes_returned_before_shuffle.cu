// finds: barrier_divergence line 13
// Threads past the end return, and the others add up the values of their lanes.
#include <cstdio>
#include <vector>

__global__ void sum(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;  // wrong
    int value = in[i];  // wrong
//=     int value = i < n ? in[i] : 0;
    for (int offset = 16; offset > 0; offset /= 2)
        // The mask names lanes that are no more.
        value += __shfl_down_sync(0xffffffff, value, offset);
    if (threadIdx.x % 32 == 0) atomicAdd(out, value);
}

int main() {
    const int n = 1000;
    std::vector<int> host(n);
    int *in, *out, want = 0, got = 0;
    for (int i = 0; i < n; i++) want += host[i] = i % 9;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(int));
    sum<<<4, 256>>>(in, out, n);
    cudaMemcpy(&got, out, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    return got == want ? 0 : 1;
}
