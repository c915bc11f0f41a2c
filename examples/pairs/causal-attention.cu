// Causal attention for one head per blockIdx.y with a running softmax: the
// n x n score matrix never exists. One warp per query; the warps of a block
// share tiles of K and V. Each lane holds HEAD_DIM / 32 components.
#include <cuda_runtime.h>

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(expr)                                                        \
  do {                                                                     \
    if (cudaError_t e = (expr); e != cudaSuccess) {                        \
      std::fprintf(stderr, "%s: %s\n", #expr, cudaGetErrorString(e));      \
      std::exit(EXIT_FAILURE);                                             \
    }                                                                      \
  } while (0)

template <int HEAD_DIM, int WARPS, int TILE>
__global__ void __launch_bounds__(32 * WARPS)
attention(const float* __restrict__ q, const float* __restrict__ k,
          const float* __restrict__ v, float* __restrict__ out, int n, float scale) {
  static_assert(HEAD_DIM % 32 == 0, "lanes share a row evenly");
  constexpr int PER_LANE = HEAD_DIM / 32;
  __shared__ float ks[TILE][HEAD_DIM];
  __shared__ float vs[TILE][HEAD_DIM];

  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int query = blockIdx.x * WARPS + warp;
  const size_t head = size_t(blockIdx.y) * n * HEAD_DIM;

  float qr[PER_LANE], acc[PER_LANE] = {};
  for (int p = 0; p < PER_LANE; ++p) {
    qr[p] = query < n ? scale * q[head + size_t(query) * HEAD_DIM + p * 32 + lane] : 0.0f;
  }
  float m = -FLT_MAX, denominator = 0.0f;

  // Keys beyond the block's last query are masked for all of its warps.
  const int end = min(n, int(blockIdx.x + 1) * WARPS);
  for (int first = 0; first < end; first += TILE) {
    for (int i = threadIdx.x; i < TILE * HEAD_DIM; i += 32 * WARPS) {
      const int key = first + i / HEAD_DIM, d = i % HEAD_DIM;
      const bool valid = key < end;
      ks[i / HEAD_DIM][d] = valid ? k[head + size_t(key) * HEAD_DIM + d] : 0.0f;
      vs[i / HEAD_DIM][d] = valid ? v[head + size_t(key) * HEAD_DIM + d] : 0.0f;
    }
    __syncthreads();

    const int count = query < n ? min(TILE, query + 1 - first) : 0;  // may be negative
    for (int j = 0; j < count; ++j) {
      float score = 0.0f;
#pragma unroll
      for (int p = 0; p < PER_LANE; ++p) score += qr[p] * ks[j][p * 32 + lane];
#pragma unroll
      for (int o = 16; o > 0; o >>= 1) score += __shfl_xor_sync(0xffffffffu, score, o);

      const float m_new = fmaxf(m, score);
      const float keep = __expf(m - m_new);
      const float weight = __expf(score - m_new);
      denominator = denominator * keep + weight;
#pragma unroll
      for (int p = 0; p < PER_LANE; ++p) acc[p] = acc[p] * keep + weight * vs[j][p * 32 + lane];
      m = m_new;
    }
    __syncthreads();
  }

  if (query < n) {
    for (int p = 0; p < PER_LANE; ++p) {
      out[head + size_t(query) * HEAD_DIM + p * 32 + lane] = acc[p] / denominator;
    }
  }
}

int main() {
  constexpr int D = 64, WARPS = 4, TILE = 32;
  const int heads = 3, n = 150;
  const size_t size = size_t(heads) * n * D, bytes = size * sizeof(float);
  const float scale = 1.0f / std::sqrt(float(D));

  std::vector<float> h[4];
  float* d[4];
  for (int t = 0; t < 4; ++t) {  // q, k, v, out
    h[t].resize(size);
    for (size_t i = 0; i < size; ++i) h[t][i] = std::sin(0.731f * float(i % 4099) + t);
    CHECK(cudaMalloc(&d[t], bytes));
    CHECK(cudaMemcpy(d[t], h[t].data(), bytes, cudaMemcpyHostToDevice));
  }

  const dim3 grid((n + WARPS - 1) / WARPS, heads);
  attention<D, WARPS, TILE><<<grid, 32 * WARPS>>>(d[0], d[1], d[2], d[3], n, scale);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(h[3].data(), d[3], bytes, cudaMemcpyDeviceToHost));
  for (float* p : d) CHECK(cudaFree(p));

  double worst = 0.0;
  std::vector<double> w(n);
  for (int g = 0; g < heads; ++g)
    for (int i = 0; i < n; ++i) {
      const size_t base = size_t(g) * n * D;
      double sum = 0.0;
      for (int j = 0; j <= i; ++j) {
        double dot = 0.0;
        for (int c = 0; c < D; ++c) dot += double(h[0][base + i * D + c]) * h[1][base + j * D + c];
        sum += w[j] = std::exp(dot * scale);
      }
      for (int c = 0; c < D; ++c) {
        double want = 0.0;
        for (int j = 0; j <= i; ++j) want += w[j] / sum * h[2][base + j * D + c];
        worst = std::fmax(worst, std::fabs(want - h[3][base + i * D + c]));
      }
    }
  std::printf("largest error %.2e\n", worst);
  return worst < 1e-4 ? 0 : 1;
}
