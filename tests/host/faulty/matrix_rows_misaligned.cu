// finds: illegal_address line 27
// Rows of 20 halves, padded against bank conflicts: 40 bytes are no multiple of 16.
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdio>
#include <vector>

using namespace nvcuda;

#define TILE 16
#define ROW (TILE + 4)  // wrong
//= #define ROW (TILE + 8)

__global__ void multiply(const half* a, const half* b, float* c) {
    __shared__ __align__(32) half as[TILE * ROW], bs[TILE * ROW];
    for (int i = threadIdx.x; i < TILE * TILE; i += 32) {
        as[i / TILE * ROW + i % TILE] = a[i];
        bs[i / TILE * ROW + i % TILE] = b[i];
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, half, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> z;
    wmma::fill_fragment(z, 0.0f);

    wmma::load_matrix_sync(x, as, ROW);
    wmma::load_matrix_sync(y, bs, ROW);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(c, z, TILE, wmma::mem_row_major);
}

int main() {
    const int n = TILE * TILE;
    std::vector<half> a(n), b(n);
    std::vector<float> c(n);
    for (int i = 0; i < n; i++) {
        a[i] = __float2half(i % 5 - 2);
        b[i] = __float2half(i % 7 - 3);
    }
    half *d_a, *d_b;
    float* d_c;
    cudaMalloc(&d_a, n * sizeof(half));
    cudaMalloc(&d_b, n * sizeof(half));
    cudaMalloc(&d_c, n * sizeof(float));
    cudaMemcpy(d_a, a.data(), n * sizeof(half), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), n * sizeof(half), cudaMemcpyHostToDevice);
    multiply<<<1, 32>>>(d_a, d_b, d_c);
    cudaMemcpy(c.data(), d_c, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    for (int row = 0; row < TILE; row++)
        for (int column = 0; column < TILE; column++) {
            float sum = 0;
            for (int k = 0; k < TILE; k++)
                sum += __half2float(a[row * TILE + k]) * __half2float(b[k * TILE + column]);
            if (sum != c[row * TILE + column]) return 1;
        }
    return 0;
}
