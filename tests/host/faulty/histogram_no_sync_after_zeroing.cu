// finds: race,uninitialised_read line 11,16
// Some threads count while others still set the bins to zero.
#include <cstdio>
#include <vector>

#define NUM_BINS 256

__global__ void histogramKernel(const unsigned char* data, unsigned int* histo, int n) {
    __shared__ unsigned int histo_s[NUM_BINS];
    for (int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x) {
        histo_s[bin] = 0;
    }
//=     __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&histo_s[data[i]], 1);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x) {
        if (histo_s[bin] > 0) atomicAdd(&histo[bin], histo_s[bin]);
    }
}

int main() {
    const int n = 4096;
    std::vector<unsigned char> data(n);
    std::vector<unsigned int> histo(NUM_BINS), expected(NUM_BINS);
    for (int i = 0; i < n; i++) {
        data[i] = (i * 151 + 200) % 256;
        expected[data[i]]++;
    }
    unsigned char* d_data;
    unsigned int* d_histo;
    cudaMalloc(&d_data, n);
    cudaMalloc(&d_histo, NUM_BINS * sizeof(unsigned int));
    cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(d_histo, 0, NUM_BINS * sizeof(unsigned int));
    histogramKernel<<<n / 128, 128>>>(d_data, d_histo, n);
    cudaMemcpy(histo.data(), d_histo, NUM_BINS * sizeof(unsigned int), cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    cudaFree(d_histo);
    for (int b = 0; b < NUM_BINS; b++)
        if (histo[b] != expected[b]) return 1;
    return 0;
}
