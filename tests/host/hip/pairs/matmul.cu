// A product of matrices in tiles of shared memory.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

template <int tile>
__global__ void __launch_bounds__(tile* tile) multiply(const float* __restrict__ a, const float* __restrict__ b, float* c, int n) {
    __shared__ float as[tile][tile], bs[tile][tile];
    const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < (n + tile - 1) / tile; ++t) {
        const int k = t * tile + threadIdx.x, l = t * tile + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = row < n && k < n ? a[row * n + k] : 0;
        bs[threadIdx.y][threadIdx.x] = l < n && column < n ? b[l * n + column] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < tile; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

int main() {
    const int n = 50, tile = 16;
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; ++i) a[i] = i % 3, b[i] = i % 5;
    const size_t bytes = n * n * sizeof(float);
    float *da, *db, *dc;
    cudaMalloc(&da, bytes);
    cudaMalloc(&db, bytes);
    cudaMalloc(&dc, bytes);
    cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);
    const int blocks = (n + tile - 1) / tile;
    multiply<tile><<<dim3(blocks, blocks), dim3(tile, tile)>>>(da, db, dc, n);
    cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float x : c) sum += x;
    std::printf("%g %g %g\n", c[0], c[n * n - 1], sum);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
}
