// What kernels print, and clocks.
#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>

__global__ void hello(int n) {
    assert(n == 3);
    if (threadIdx.x == 0) printf("block %d of %d: %s, %5.2f\n", blockIdx.x, gridDim.x, "hello", n * 1.5);
    const long long begin = clock64();
    if (clock64() < begin) printf("back in time\n");
}

int main() {
    hello<<<1, 32>>>(3);
    cudaDeviceSynchronize();
    std::printf("between\n");
    hello<<<1, 64>>>(3);
    return cudaDeviceSynchronize();
}
