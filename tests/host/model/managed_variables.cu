// Variables of __managed__: the host and kernels share them, by name and by address.
#include "check.h"

__managed__ int count;
__device__ __managed__ float values[256];
__managed__ struct pair {
    int first;
    double second;
} both = {3, 4.5};
static int __managed__ hidden = 7;

__global__ void add(int* to) { atomicAdd(to, 1); }
__global__ void fill(float* to) {
    to[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0) both.first += hidden;
}

int main() {
    count = 5;
    add<<<1, 32>>>(&count);
    fill<<<1, 256>>>(values);
    cudaDeviceSynchronize();
    MUST(count == 37 && both.first == 10 && both.second == 4.5);
    for (int i = 0; i < 256; ++i) MUST(values[i] == i);
    cudaPointerAttributes about;
    cudaPointerGetAttributes(&about, values);
    MUST(about.type == cudaMemoryTypeManaged);
    MUST(cudaMemset(values, 0, sizeof values) == cudaSuccess && values[9] == 0);
    const int nine = 9;
    MUST(cudaMemcpyToSymbol(count, &nine, sizeof nine) == cudaSuccess && count == 9);
    return verdict();
}
