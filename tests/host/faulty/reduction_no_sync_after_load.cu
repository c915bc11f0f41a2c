// finds: race,uninitialised_read line 13,16
// The tree begins before all values have been put into shared memory.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void dotKernel(const int* a, const int* b, int* result, int n) {
    extern __shared__ int cache[];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += a[i] * b[i];
    cache[threadIdx.x] = sum;
//=     __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) cache[threadIdx.x] += cache[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(result, cache[0]);
}

int main() {
    const int n = 3000;
    std::vector<int> a(n), b(n);
    int expected = 0, result = 0;
    for (int i = 0; i < n; i++) {
        a[i] = i % 10;
        b[i] = i % 7;
        expected += a[i] * b[i];
    }
    int *d_a, *d_b, *d_result;
    cudaMalloc(&d_a, n * sizeof(int));
    cudaMalloc(&d_b, n * sizeof(int));
    cudaMalloc(&d_result, sizeof(int));
    cudaMemcpy(d_a, a.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_result, 0, sizeof(int));
    dotKernel<<<6, 128, 128 * sizeof(int)>>>(d_a, d_b, d_result, n);
    cudaMemcpy(&result, d_result, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_result);
    return result != expected;
}
