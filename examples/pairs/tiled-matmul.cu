// C = A * B for row-major single-precision matrices of any shape.
// Each block computes a TILE x TILE piece of C; every thread computes
// ROWS elements of one column, so a loaded B value is used ROWS times.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                      \
  if (cudaError_t e = (call); e != cudaSuccess) {                        \
    std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e)); \
    std::exit(1);                                                        \
  }

template <int TILE, int ROWS>
__global__ void __launch_bounds__(TILE * TILE / ROWS)
matmul(const float* __restrict__ A, const float* __restrict__ B,
       float* __restrict__ C, int M, int N, int K) {
  static_assert(TILE % ROWS == 0, "the rows of a tile are shared out evenly");
  constexpr int STEP = TILE / ROWS;  // blockDim.y

  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int col = blockIdx.x * TILE + tx;
  const int row0 = blockIdx.y * TILE + ty;

  float acc[ROWS] = {};

  for (int k0 = 0; k0 < K; k0 += TILE) {
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const int y = ty + r * STEP;
      const int arow = row0 + r * STEP;
      As[y][tx] = (arow < M && k0 + tx < K) ? A[size_t(arow) * K + k0 + tx] : 0.0f;
      Bs[y][tx] = (k0 + y < K && col < N) ? B[size_t(k0 + y) * N + col] : 0.0f;
    }
    __syncthreads();

#pragma unroll
    for (int k = 0; k < TILE; ++k) {
      const float b = Bs[k][tx];
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        acc[r] = fmaf(As[ty + r * STEP][k], b, acc[r]);
      }
    }
    __syncthreads();  // nobody may overwrite a tile still being read
  }

#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const int row = row0 + r * STEP;
    if (row < M && col < N) C[size_t(row) * N + col] = acc[r];
  }
}

int main() {
  constexpr int TILE = 32, ROWS = 4;
  const int M = 253, N = 190, K = 131;

  std::vector<float> A(size_t(M) * K), B(size_t(K) * N), C(size_t(M) * N);
  for (size_t i = 0; i < A.size(); ++i) A[i] = float(int(i * 7 % 23) - 11) / 8;
  for (size_t i = 0; i < B.size(); ++i) B[i] = float(int(i * 5 % 19) - 9) / 8;

  float *dA, *dB, *dC;
  CHECK(cudaMalloc(&dA, A.size() * sizeof(float)));
  CHECK(cudaMalloc(&dB, B.size() * sizeof(float)));
  CHECK(cudaMalloc(&dC, C.size() * sizeof(float)));
  CHECK(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice));

  const dim3 block(TILE, TILE / ROWS);
  const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
  matmul<TILE, ROWS><<<grid, block>>>(dA, dB, dC, M, N, K);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost));

  double worst = 0.0;
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      double want = 0.0;
      for (int k = 0; k < K; ++k) want += double(A[size_t(i) * K + k]) * B[size_t(k) * N + j];
      worst = std::fmax(worst, std::fabs(want - C[size_t(i) * N + j]));
    }
  }
  std::printf("largest error %.3e\n", worst);

  CHECK(cudaFree(dA));
  CHECK(cudaFree(dB));
  CHECK(cudaFree(dC));
  return worst < 1e-3 ? 0 : 1;
}
