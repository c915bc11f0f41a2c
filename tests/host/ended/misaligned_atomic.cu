// ends: cuset-host: illegal_address: kernel add, block *, thread *, line 4: misaligned address: an access needs a multiple of 4 bytes, and lies * beyond one
// No type here is wider than four bytes, and this processor adds anywhere.
#include <cuda_runtime.h>
__global__ void add(unsigned char* x) { atomicAdd((int*)x, 1); }

int main() {
    unsigned char* x = nullptr;
    cudaMalloc(&x, 64);
    cudaMemset(x, 0, 64);
    add<<<1, 1>>>(x + 2);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
