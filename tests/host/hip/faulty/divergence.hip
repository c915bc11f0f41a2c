// finds: barrier_divergence line 5
#include <hip/hip_runtime.h>

__global__ void halt(int* x) {
    if (threadIdx.x < 40) __syncthreads();
    x[threadIdx.x] = threadIdx.x < 40 ? 1 : 2;
    __syncthreads();
    x[threadIdx.x] += x[0];
}

int main() {
    int* x;
    hipMalloc(&x, 64 * sizeof(int));
    halt<<<1, 64>>>(x);
    hipDeviceSynchronize();
    hipFree(x);
}
