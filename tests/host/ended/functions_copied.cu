// ends: cuset-host: illegal_address: kernel map, block (0,0,0), thread *: calls a function through an address of the host: take it in device code
#include <cuda_runtime.h>
typedef int (*operation)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int next(int x) { return x + 1; }
__constant__ operation table[2];
__global__ void map(int* x) { x[threadIdx.x] = table[threadIdx.x % 2](x[threadIdx.x]); }

int main() {
    int* x = nullptr;
    cudaMalloc(&x, 32 * sizeof(int));
    cudaMemset(x, 0, 32 * sizeof(int));
    const operation functions[] = {twice, next};
    cudaMemcpyToSymbol(table, functions, sizeof functions);
    map<<<1, 32>>>(x);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
