// ends: cuset-host: crash: host code touches device memory
// Host code reads device memory after a launch has opened and closed it.
#include <cstdio>

__global__ void set(int* x) { x[threadIdx.x] = 7; }

int main() {
    int* x = nullptr;
    cudaMalloc(&x, 4096);
    set<<<8, 512>>>(x);
    cudaDeviceSynchronize();
    std::printf("%d\n", x[3]);
    return 0;
}
