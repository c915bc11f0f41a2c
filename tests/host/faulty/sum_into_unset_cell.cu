// finds: uninitialised_read line 18
// Blocks add their sums to a cell that was never set.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void sumKernel(const float* x, float* total, int n) {
    __shared__ float partial[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(total, partial[0]);
    }
}

int main() {
    const int n = 2222;
    std::vector<float> x(n);
    float expected = 0, result = 0;
    for (int i = 0; i < n; i++) expected += x[i] = i % 13;
    float *d_x, *d_total;
    cudaMalloc(&d_x, n * sizeof(float));
    cudaMalloc(&d_total, sizeof(float));
    cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
//=     cudaMemcpy(d_total, &result, sizeof(float), cudaMemcpyHostToDevice);
    sumKernel<<<(n + 127) / 128, 128>>>(d_x, d_total, n);
    cudaMemcpy(&result, d_total, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_total);
    return result != expected;
}
