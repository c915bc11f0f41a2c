// finds: race line 14,18
// The next tile is copied into the one that others still read.
#include <cuda_pipeline.h>

#include <cstdio>

constexpr int width = 128;

__global__ void sums(const int* in, int* out, int tiles) {
    __shared__ int tile[width];
    const int t = threadIdx.x;
    int sum = 0;
    for (int i = 0; i < tiles; ++i) {
        __pipeline_memcpy_async(&tile[t], in + i * width + t, sizeof(int));
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += tile[(t + 37) % width];
//=         __syncthreads();
    }
    out[t] = sum;
}

int main() {
    const int tiles = 3, n = tiles * width;
    int *in, *out;
    if (cudaMallocManaged(&in, n * sizeof(int)) != cudaSuccess) return 1;
    if (cudaMallocManaged(&out, width * sizeof(int)) != cudaSuccess) return 1;
    for (int i = 0; i < n; ++i) in[i] = i * 7 + 1;
    sums<<<1, width>>>(in, out, tiles);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int t = 0; t < width; ++t) {
        int wanted = 0;
        for (int i = 0; i < tiles; ++i) wanted += in[i * width + (t + 37) % width];
        if (out[t] != wanted) return 1;
    }
    std::puts("ok");
    return cudaFree(in) != cudaSuccess || cudaFree(out) != cudaSuccess;
}
