// finds: race line 18,19,23
// The next tile is loaded while others still multiply this one.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int TILE = 8;

__global__ void gemm(const int* a, const int* b, int* c, int n) {
    __shared__ int tile_a[TILE][TILE + 1];
    __shared__ int tile_b[TILE][TILE + 1];
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int col = blockIdx.x * TILE + threadIdx.x;
    int acc = 0;
    for (int t = 0; t < (n + TILE - 1) / TILE; ++t) {
        const int ka = t * TILE + threadIdx.x, kb = t * TILE + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = (row < n && ka < n) ? a[row * n + ka] : 0;
        tile_b[threadIdx.y][threadIdx.x] = (kb < n && col < n) ? b[kb * n + col] : 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k) {
            acc += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        }
//=         __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = acc;
}

int main() {
    const int n = 50;
    std::vector<int> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; i++) a[i] = i % 11, b[i] = i % 6;
    int *d_a, *d_b, *d_c;
    cudaMalloc(&d_a, n * n * sizeof(int));
    cudaMalloc(&d_b, n * n * sizeof(int));
    cudaMalloc(&d_c, n * n * sizeof(int));
    cudaMemcpy(d_a, a.data(), n * n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), n * n * sizeof(int), cudaMemcpyHostToDevice);
    const int blocks = (n + TILE - 1) / TILE;
    gemm<<<dim3(blocks, blocks), dim3(TILE, TILE)>>>(d_a, d_b, d_c, n);
    cudaMemcpy(c.data(), d_c, n * n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    for (int r = 0; r < n; r++)
        for (int j = 0; j < n; j++) {
            int want = 0;
            for (int k = 0; k < n; k++) want += a[r * n + k] * b[k * n + j];
            if (c[r * n + j] != want) return 1;
        }
    return 0;
}
