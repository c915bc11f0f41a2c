// finds: out_of_bounds line 11
// Bytes above 127 are negative as char, and so is their bin.
#include <cstdio>
#include <vector>

__global__ void histogram(const signed char* data, int n, unsigned int* bins) {  // wrong
//= __global__ void histogram(const unsigned char* data, int n, unsigned int* bins) {
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        int bin = data[i];
        atomicAdd(&bins[bin], 1);
    }
}

int main() {
    const int n = 5000;
    std::vector<unsigned char> bytes(n);
    std::vector<unsigned int> expected(256), bins(256);
    for (int i = 0; i < n; i++) {
        bytes[i] = (i * 31) % 256;
        expected[bytes[i]]++;
    }
    signed char* d_bytes;  // wrong
//=     unsigned char* d_bytes;
    unsigned int* d_bins;
    cudaMalloc(&d_bytes, n);
    cudaMalloc(&d_bins, 256 * sizeof(unsigned int));
    cudaMemcpy(d_bytes, bytes.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(d_bins, 0, 256 * sizeof(unsigned int));
    histogram<<<8, 128>>>(d_bytes, n, d_bins);
    cudaMemcpy(bins.data(), d_bins, 256 * sizeof(unsigned int), cudaMemcpyDeviceToHost);
    cudaFree(d_bytes);
    cudaFree(d_bins);
    for (int b = 0; b < 256; b++)
        if (bins[b] != expected[b]) return 1;
    return 0;
}
