// ends: cuset-host: illegal_address: kernel map, block (0,0,0), thread *: calls a function through an address of the host: take it in device code
// The same function's address is right when it comes from the device, which it does for another.
#include <cuda_runtime.h>
typedef int (*operation)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
__device__ operation of_device = thrice;
__global__ void map(operation f, int* x) { x[threadIdx.x] = f(x[threadIdx.x]); }

int main() {
    int* x = nullptr;
    cudaMalloc(&x, 32 * sizeof(int));
    cudaMemset(x, 0, 32 * sizeof(int));
    operation f = nullptr;
    cudaMemcpyFromSymbol(&f, of_device, sizeof f);
    map<<<1, 32>>>(f, x);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    f = twice;
    map<<<1, 32>>>(f, x);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
