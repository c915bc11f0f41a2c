// ends: cuset-host: illegal_address: kernel add, block *, thread *, line 4: misaligned address: an access needs a multiple of 16 bytes, and lies * beyond one
// The sum of four floats needs what a float4 needs.
#include <cuda_runtime.h>
__global__ void add(unsigned char* x) { atomicAdd(reinterpret_cast<float4*>(x), make_float4(1, 2, 3, 4)); }

int main() {
    unsigned char* x = nullptr;
    cudaMalloc(&x, 64);
    cudaMemset(x, 0, 64);
    add<<<1, 1>>>(x + 4);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
