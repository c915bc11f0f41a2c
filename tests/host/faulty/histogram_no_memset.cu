// finds: uninitialised_read line 20
// The bins on the device are never set to zero.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                                       \
    do {                                                                                       \
        cudaError_t err = call;                                                                \
        if (err != cudaSuccess) {                                                              \
            fprintf(stderr, "CUDA error at line %d: %s\n", __LINE__, cudaGetErrorString(err)); \
            exit(1);                                                                           \
        }                                                                                      \
    } while (0)

__global__ void histogram(const unsigned char* data, unsigned int* bins, int n) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = blockDim.x * gridDim.x;
    while (tid < n) {
        atomicAdd(&bins[data[tid]], 1u);
        tid += stride;
    }
}

int main() {
    const int n = 4000;
    std::vector<unsigned char> data(n);
    std::vector<unsigned int> bins(256), expected(256);
    for (int i = 0; i < n; i++) {
        data[i] = (i * 17) % 256;
        expected[data[i]]++;
    }
    unsigned char* d_data;
    unsigned int* d_bins;
    CUDA_CHECK(cudaMalloc(&d_data, n));
    CUDA_CHECK(cudaMalloc(&d_bins, 256 * sizeof(unsigned int)));
    CUDA_CHECK(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
//=     CUDA_CHECK(cudaMemset(d_bins, 0, 256 * sizeof(unsigned int)));
    histogram<<<8, 128>>>(d_data, d_bins, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(bins.data(), d_bins, 256 * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_data));
    CUDA_CHECK(cudaFree(d_bins));
    for (int b = 0; b < 256; b++)
        if (bins[b] != expected[b]) return 1;
    return 0;
}
