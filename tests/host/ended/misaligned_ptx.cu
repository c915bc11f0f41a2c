// ends: cuset-host: illegal_address: kernel copy, block *, thread *, line 8: misaligned address: an access needs a multiple of 16 bytes, and lies * beyond one
#include <cuda_runtime.h>
__global__ void copy(float* to, const float* from) {
    float a, b, c, d;
    const float* at = from + 6 * threadIdx.x;
    // A pointer of four bytes, and no cast: the instruction alone asks for more.
    float* into = to + 6 * threadIdx.x;
    asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(at));
    into[0] = a + b + c + d;
}

int main() {
    float *x = nullptr, *y = nullptr;
    cudaMalloc(&x, 1024 * sizeof(float));
    cudaMalloc(&y, 1024 * sizeof(float));
    copy<<<1, 32>>>(y, x);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
