// ends: cuset-host: unsupported: kernel k: more than 48 KiB of static shared memory
// A kernel's own shared memory and that of what it calls, each less than 48 KiB: ptxas refuses it.
#include <cstdio>

__device__ float last(int n) {
    __shared__ float cells[8 * 1024];
    cells[n] = n;
    __syncthreads();
    return cells[n + 1];
}
__global__ void k(float* x) {
    __shared__ float cells[8 * 1024];
    cells[threadIdx.x] = last(threadIdx.x);
    __syncthreads();
    x[threadIdx.x] = cells[threadIdx.x + 1];
}

int main() {
    float* x = nullptr;
    cudaMalloc(&x, 4096);
    k<<<1, 32>>>(x);
    std::printf("%d\n", cudaDeviceSynchronize());
    return 0;
}
