// Grid barriers written by hand, of as many blocks as people take: a multiple of the processors. Each
// thread of a block that waits has a stack.
#include "check.h"

__device__ unsigned arrived = 0;

__device__ void meet_all(unsigned goal) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived, 1);
        while (atomicAdd(&arrived, 0) < goal) {
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void reverse_twice(int* a, int* b, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    a[i] = i;
    meet_all(gridDim.x);
    b[i] = a[n - 1 - i];
    meet_all(2 * gridDim.x);
    a[i] = b[i] + b[n - 1 - i];
}

int main() {
    int processors = 0, resident = 0;
    OK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, reverse_twice, 256, 0));
    MUST(resident >= 3);
    const int blocks = 3 * processors, n = blocks * 256;
    int *a = nullptr, *b = nullptr;
    OK(cudaMallocManaged(&a, n * sizeof(int)));
    OK(cudaMallocManaged(&b, n * sizeof(int)));
    reverse_twice<<<blocks, 256>>>(a, b, n);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) {
        expect("b", i, b[i], n - 1 - i);
        expect("a", i, a[i], n - 1);
    }
    return verdict();
}
