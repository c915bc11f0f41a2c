// finds: out_of_bounds line 15
// The greatest value falls into a bin of shared memory that is not there.
#include <cstdio>
#include <vector>

#define BINS 10

__global__ void scoreHistogram(const int* scores, int n, int* bins) {
    __shared__ int local[BINS];  // wrong
    if (threadIdx.x < BINS) local[threadIdx.x] = 0;  // wrong
//=     __shared__ int local[BINS + 1];
//=     if (threadIdx.x <= BINS) local[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&local[scores[i] / 10], 1);
    __syncthreads();
    if (threadIdx.x < BINS) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);  // wrong
//=     if (threadIdx.x <= BINS) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main() {
    const int n = 2020;
    std::vector<int> scores(n), bins(BINS + 1), expected(BINS + 1);
    for (int i = 0; i < n; i++) {
        scores[i] = i % 101;  // 0 to 100
        expected[scores[i] / 10]++;
    }
    int *d_scores, *d_bins;
    cudaMalloc(&d_scores, n * sizeof(int));
    cudaMalloc(&d_bins, (BINS + 1) * sizeof(int));
    cudaMemcpy(d_scores, scores.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_bins, 0, (BINS + 1) * sizeof(int));
    scoreHistogram<<<(n + 127) / 128, 128>>>(d_scores, n, d_bins);
    cudaMemcpy(bins.data(), d_bins, (BINS + 1) * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_scores);
    cudaFree(d_bins);
    for (int b = 0; b <= BINS; b++)
        if (bins[b] != expected[b]) return 1;
    return 0;
}
