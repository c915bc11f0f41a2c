// finds: race line 16
// A step of the scan overwrites what others have yet to read.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#define N 512

__global__ void inclusiveScan(int* data) {
    __shared__ int temp[N];
    int tid = threadIdx.x;
    temp[tid] = data[tid];
    __syncthreads();
    for (int offset = 1; offset < N; offset *= 2) {
        if (tid >= offset) temp[tid] += temp[tid - offset];  // wrong
//=         int value = tid >= offset ? temp[tid - offset] : 0;
//=         __syncthreads();
//=         temp[tid] += value;
        __syncthreads();
    }
    data[tid] = temp[tid];
}

int main() {
    std::vector<int> h(N), result(N);
    for (int i = 0; i < N; i++) h[i] = i % 4 + 1;
    int* d;
    cudaMalloc(&d, N * sizeof(int));
    cudaMemcpy(d, h.data(), N * sizeof(int), cudaMemcpyHostToDevice);
    inclusiveScan<<<1, N>>>(d);
    cudaMemcpy(result.data(), d, N * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d);
    int sum = 0;
    for (int i = 0; i < N; i++) {
        sum += h[i];
        if (result[i] != sum) return 1;
    }
    return 0;
}
