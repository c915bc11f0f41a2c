// ends: cuset-host: illegal_address: kernel map, block (0,0,0), thread *: calls a function through an address of the host: take it in device code
#include <cuda_runtime.h>
struct step {
    int (*function)(int);
    int times;
};
__host__ __device__ int twice(int x) { return 2 * x; }
__global__ void map(step s, int* x) {
    for (int i = 0; i < s.times; ++i) x[threadIdx.x] = s.function(x[threadIdx.x]);
}

int main() {
    int* x = nullptr;
    cudaMalloc(&x, 32 * sizeof(int));
    cudaMemset(x, 0, 32 * sizeof(int));
    map<<<1, 32>>>(step{twice, 2}, x);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
