// ends: cuset-host: illegal_address: kernel map, block (0,0,0), thread *: calls a function through an address of the host: take it in device code
// A function's address in host code is the host's, whatever the function is for. The device's own
// comes from the device.
#include <cuda_runtime.h>
typedef int (*operation)(int);
__host__ __device__ int twice(int x) { return 2 * x; }
__device__ operation of_device = twice;
__global__ void map(operation f, int* x) { x[threadIdx.x] = f(x[threadIdx.x]); }

int main() {
    int* x = nullptr;
    cudaMalloc(&x, 4096);
    cudaMemset(x, 0, 4096);
    operation f = nullptr;
    cudaMemcpyFromSymbol(&f, of_device, sizeof f);
    map<<<1, 32>>>(f, x);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    map<<<1, 32>>>(twice, x);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
