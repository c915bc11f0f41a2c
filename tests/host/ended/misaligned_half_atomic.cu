// ends: cuset-host: illegal_address: kernel add, block *, thread *, line 5: misaligned address: an access needs a multiple of 4 bytes, and lies * beyond one
// Two half floats at once are one word.
#include <cuda_runtime.h>
#include <cuda_fp16.h>
__global__ void add(unsigned char* x) { atomicAdd((__half2*)x, __floats2half2_rn(1, 2)); }

int main() {
    unsigned char* x = nullptr;
    cudaMalloc(&x, 64);
    cudaMemset(x, 0, 64);
    add<<<1, 1>>>(x + 2);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
