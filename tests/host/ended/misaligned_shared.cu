// ends: cuset-host: illegal_address: kernel sum, block *, thread *, line 10: misaligned address: double needs a multiple of 8 bytes, and lies * beyond one
// Parts of dynamic shared memory: the doubles begin behind an odd number of ints.
#include <cuda_runtime.h>
__global__ void sum(double* out, int counts) {
    extern __shared__ int count[];
    double* const part = (double*)(count + counts);
    for (int i = threadIdx.x; i < counts; i += blockDim.x) count[i] = i;
    __syncthreads();
    const int c = count[threadIdx.x];
    part[threadIdx.x] = c;
    __syncthreads();
    if (threadIdx.x == 0) *out = part[0] + part[1];
}

int main() {
    double* x = nullptr;
    cudaMalloc(&x, sizeof(double));
    sum<<<1, 32, 33 * sizeof(int) + 32 * sizeof(double)>>>(x, 33);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
