// ends: cuset-host: illegal_address: kernel sum, block (*,0,0), thread *: uses a pointer to host memory that was copied to the device
// A table of rows, each a block of malloc; the table is large.
#include <cuda_runtime.h>
#include <cstdlib>
__global__ void sum(float** rows, float* sums) {
    float s = 0;
    for (int i = 0; i < 16; ++i) s += rows[blockIdx.x][i];
    sums[blockIdx.x] = s;
}

int main() {
    constexpr int n = 1000;
    static float* rows[n];
    for (float*& row : rows) row = static_cast<float*>(calloc(16, sizeof(float)));
    float **d = nullptr, *sums = nullptr;
    cudaMalloc(&d, sizeof rows);
    cudaMalloc(&sums, n * sizeof(float));
    cudaMemcpyAsync(d, rows, sizeof rows, cudaMemcpyHostToDevice, nullptr);
    sum<<<n, 1>>>(d, sums);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
