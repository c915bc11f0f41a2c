// finds: barrier_divergence line 19,24,26
// Threads go round the loop with the barrier unequally often.
#include <cstdio>
#include <vector>

#define THREADS 96

// Sum of all values by one block, a part of THREADS at a time.
__global__ void sumParts(const int* in, int n, int* sum) {
    __shared__ int part[THREADS];
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += THREADS) {  // wrong
        part[threadIdx.x] = in[i];  // wrong
//=     for (int first = 0; first < n; first += THREADS) {
//=         int i = first + threadIdx.x;
//=         part[threadIdx.x] = i < n ? in[i] : 0;
        __syncthreads();
        if (threadIdx.x == 0) {
            int count = n - (i - threadIdx.x) < THREADS ? n - (i - threadIdx.x) : THREADS;
            for (int k = 0; k < count; k++) total += part[k];
        }
        __syncthreads();
    }
    __syncthreads();
    if (threadIdx.x == THREADS - 1) *sum = total;
}

int main() {
    const int n = 1000;  // no multiple of 96
    std::vector<int> in(n);
    int expected = 0, result = -1;
    for (int i = 0; i < n; i++) expected += in[i] = i % 6;
    int *d_in, *d_sum;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_sum, sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    sumParts<<<1, THREADS>>>(d_in, n, d_sum);
    cudaMemcpy(&result, d_sum, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_sum);
    return result != expected;
}
