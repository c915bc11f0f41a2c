// finds: race line 13,15
// The flag is read before all threads have had their say.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

// For each block: 1 where its part holds the value.
__global__ void contains(const int* data, int value, int* result) {
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    if (data[blockIdx.x * blockDim.x + threadIdx.x] == value) found = 1;
//=     __syncthreads();
    if (threadIdx.x == 0) result[blockIdx.x] = found;
}

int main() {
    const int blocks = 20, threads = 64, n = blocks * threads;
    std::vector<int> data(n), result(blocks);
    for (int i = 0; i < n; i++) data[i] = i % 150;
    int *d_data, *d_result;
    cudaMalloc(&d_data, n * sizeof(int));
    cudaMalloc(&d_result, blocks * sizeof(int));
    cudaMemcpy(d_data, data.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    contains<<<blocks, threads>>>(d_data, 77, d_result);
    cudaMemcpy(result.data(), d_result, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    cudaFree(d_result);
    for (int b = 0; b < blocks; b++) {
        int want = 0;
        for (int t = 0; t < threads; t++)
            if (data[b * threads + t] == 77) want = 1;
        if (result[b] != want) return 1;
    }
    return 0;
}
