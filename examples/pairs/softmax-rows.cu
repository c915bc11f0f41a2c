// Row-wise softmax, one block per row. The maximum and the sum of
// exponentials come out of a single pass: partial results (m, s) merge as
//   m = max(m1, m2),  s = s1 * exp(m1 - m) + s2 * exp(m2 - m).
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_CHECK(x)                                                   \
  do {                                                                  \
    cudaError_t err = (x);                                              \
    if (err != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,           \
                   cudaGetErrorString(err));                            \
      std::exit(1);                                                     \
    }                                                                   \
  } while (0)

struct MaxSum {
  float m;  // the largest value so far
  float s;  // sum of exp(x - m)
};

__device__ MaxSum merge(MaxSum a, MaxSum b) {
  const float m = fmaxf(a.m, b.m);
  return {m, a.s * __expf(a.m - m) + b.s * __expf(b.m - m)};
}

__device__ MaxSum warp_merge(MaxSum v) {
  for (int o = 16; o > 0; o /= 2) {
    MaxSum other;
    other.m = __shfl_xor_sync(0xffffffffu, v.m, o);
    other.s = __shfl_xor_sync(0xffffffffu, v.s, o);
    v = merge(v, other);
  }
  return v;  // the same in every lane
}

template <int BLOCK>
__global__ void softmax(const float* __restrict__ in, float* __restrict__ out, int cols) {
  static_assert(BLOCK % 32 == 0 && BLOCK <= 1024, "whole warps");
  __shared__ MaxSum part[BLOCK / 32];
  const float* x = in + size_t(blockIdx.x) * cols;
  float* y = out + size_t(blockIdx.x) * cols;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  // -FLT_MAX, not -INFINITY: inf - inf would give NaN for idle threads.
  MaxSum v = {-FLT_MAX, 0.0f};
  for (int c = threadIdx.x; c < cols; c += BLOCK) v = merge(v, {x[c], 1.0f});
  v = warp_merge(v);
  if (lane == 0) part[warp] = v;
  __syncthreads();

  // Every warp merges the partial results again: cheaper than a broadcast.
  v = lane < BLOCK / 32 ? part[lane] : MaxSum{-FLT_MAX, 0.0f};
  v = warp_merge(v);

  const float scale = 1.0f / v.s;
  for (int c = threadIdx.x; c < cols; c += BLOCK) y[c] = __expf(x[c] - v.m) * scale;
}

int main() {
  const int rows = 200, cols = 1337;
  std::vector<float> in(size_t(rows) * cols), out(in.size());
  for (size_t i = 0; i < in.size(); ++i) in[i] = 80.0f * std::sin(0.37f * float(i % 9973));

  float *d_in, *d_out;
  const size_t bytes = in.size() * sizeof(float);
  CUDA_CHECK(cudaMalloc(&d_in, bytes));
  CUDA_CHECK(cudaMalloc(&d_out, bytes));
  CUDA_CHECK(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
  softmax<256><<<rows, 256>>>(d_in, d_out, cols);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_out));

  double worst = 0.0;
  for (int r = 0; r < rows; ++r) {
    const float* x = &in[size_t(r) * cols];
    double m = -HUGE_VAL, s = 0.0;
    for (int c = 0; c < cols; ++c) m = std::fmax(m, x[c]);
    for (int c = 0; c < cols; ++c) s += std::exp(x[c] - m);
    for (int c = 0; c < cols; ++c)
      worst = std::fmax(worst, std::fabs(std::exp(x[c] - m) / s - out[size_t(r) * cols + c]));
  }
  std::printf("largest error %.2e\n", worst);
  return worst < 1e-5 ? 0 : 1;
}
