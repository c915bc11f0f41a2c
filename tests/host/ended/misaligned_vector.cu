// ends: cuset-host: illegal_address: kernel copy, block *, thread *, line 8: misaligned address: float4 needs a multiple of 16 bytes, and lies * beyond one
// A row of 33 floats: only every fourth begins where a float4 may lie.
#include <cuda_runtime.h>
#define FLOAT4(p) (*reinterpret_cast<float4*>(&(p)))
__global__ void copy(float* to, float* from, int columns) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    for (int c = 0; c + 4 <= columns; c += 4)
        FLOAT4(to[row * columns + c]) = FLOAT4(from[row * columns + c]);
}

int main() {
    float *x = nullptr, *y = nullptr;
    cudaMalloc(&x, 33 * 64 * sizeof(float));
    cudaMalloc(&y, 33 * 64 * sizeof(float));
    copy<<<2, 32>>>(y, x, 33);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
