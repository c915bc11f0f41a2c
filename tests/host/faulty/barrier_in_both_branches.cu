// finds: barrier_divergence line 15,24
// Each half of the block waits at a barrier of its own.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void exchange(const int* in, int* out) {
    __shared__ int low[64];
    __shared__ int high[64];
    int t = threadIdx.x;
    int base = blockIdx.x * 128;
    if (t < 64) {
        low[t] = in[base + t];
        __syncthreads();  // wrong
//=     } else {
//=         high[t - 64] = in[base + t];
//=     }
//=     __syncthreads();
//=     if (t < 64) {
        out[base + t] = high[t];
    } else {
        high[t - 64] = in[base + t];  // wrong
        __syncthreads();  // wrong
        out[base + t] = low[t - 64];
    }
}

int main() {
    const int n = 1280;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; i++) in[i] = i;
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    exchange<<<n / 128, 128>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < n; i++)
        if (out[i] != (i ^ 64)) return 1;
    return 0;
}
