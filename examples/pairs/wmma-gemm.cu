// D = A * B on tensor cores: half inputs, float accumulation.
// A is M x K row-major, B is K x N row-major; M, N and K are multiples of 16.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace nvcuda;

#define CUDA_CHECK(x)                                                      \
  do {                                                                     \
    const cudaError_t err = (x);                                           \
    if (err != cudaSuccess) {                                              \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,              \
                   cudaGetErrorString(err));                               \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)

constexpr int W = 16;           // edge of a tensor core tile
constexpr int WARPS_X = 4;      // warps of a block along N
constexpr int WARPS_Y = 2;      // warps of a block along M

// Each warp computes one 16 x 16 tile of D.
__global__ void wmma_gemm(const half* __restrict__ a, const half* __restrict__ b,
                          float* __restrict__ d, int m, int n, int k) {
  const int tile_col = (blockIdx.x * WARPS_X + threadIdx.x / 32) * W;
  const int tile_row = (blockIdx.y * WARPS_Y + threadIdx.y) * W;
  if (tile_row >= m || tile_col >= n) return;  // the whole warp leaves together

  wmma::fragment<wmma::matrix_a, W, W, W, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, W, W, W, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, W, W, W, float> acc;
  wmma::fill_fragment(acc, 0.0f);

  for (int k0 = 0; k0 < k; k0 += W) {
    wmma::load_matrix_sync(fa, a + size_t(tile_row) * k + k0, k);
    wmma::load_matrix_sync(fb, b + size_t(k0) * n + tile_col, n);
    wmma::mma_sync(acc, fa, fb, acc);
  }
  wmma::store_matrix_sync(d + size_t(tile_row) * n + tile_col, acc, n, wmma::mem_row_major);
}

cudaError_t gemm(const half* a, const half* b, float* d, int m, int n, int k,
                 cudaStream_t stream) {
  if (m <= 0 || n <= 0 || k <= 0 || m % W || n % W || k % W) return cudaErrorInvalidValue;
  const dim3 block(32 * WARPS_X, WARPS_Y);
  const dim3 grid((n + W * WARPS_X - 1) / (W * WARPS_X), (m + W * WARPS_Y - 1) / (W * WARPS_Y));
  wmma_gemm<<<grid, block, 0, stream>>>(a, b, d, m, n, k);
  return cudaGetLastError();
}

int main() {
  const int m = 240, n = 176, k = 128;
  std::vector<half> a(size_t(m) * k), b(size_t(k) * n);
  std::vector<float> d(size_t(m) * n);
  // Small multiples of 1/8 are exact in half, and so are the products in float.
  for (size_t i = 0; i < a.size(); ++i) a[i] = __float2half(float(int(i * 11 % 17) - 8) / 8);
  for (size_t i = 0; i < b.size(); ++i) b[i] = __float2half(float(int(i * 7 % 15) - 7) / 8);

  half *da, *db;
  float* dd;
  CUDA_CHECK(cudaMalloc(&da, a.size() * sizeof(half)));
  CUDA_CHECK(cudaMalloc(&db, b.size() * sizeof(half)));
  CUDA_CHECK(cudaMalloc(&dd, d.size() * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof(half), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(db, b.data(), b.size() * sizeof(half), cudaMemcpyHostToDevice));
  CUDA_CHECK(gemm(da, db, dd, m, n, k, nullptr));
  CUDA_CHECK(cudaMemcpy(d.data(), dd, d.size() * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(da));
  CUDA_CHECK(cudaFree(db));
  CUDA_CHECK(cudaFree(dd));

  double worst = 0.0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double want = 0.0;
      for (int p = 0; p < k; ++p)
        want += double(__half2float(a[size_t(i) * k + p])) * __half2float(b[size_t(p) * n + j]);
      worst = std::fmax(worst, std::fabs(want - d[size_t(i) * n + j]));
    }
  std::printf("largest error %.2e\n", worst);
  return worst < 1e-3 ? 0 : 1;
}
