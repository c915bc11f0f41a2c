// Sum of a large float array in two passes: every block leaves one partial
// sum, then a single block adds the partial sums up. No atomics, so the
// result is the same on every run.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_CHECK(expr)                                                   \
  do {                                                                     \
    cudaError_t err_ = (expr);                                             \
    if (err_ != cudaSuccess) {                                             \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #expr,   \
                   cudaGetErrorString(err_));                              \
      std::exit(EXIT_FAILURE);                                             \
    }                                                                      \
  } while (0)

constexpr int kBlock = 256;
constexpr int kMaxBlocks = 1024;
static_assert(kBlock % 32 == 0 && kBlock <= 1024, "whole warps only");

__device__ __forceinline__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) {
    v += __shfl_down_sync(0xffffffffu, v, offset);
  }
  return v;  // valid in lane 0
}

// The sum over the block, valid in thread 0.
__device__ float block_sum(float v) {
  __shared__ float warp_partial[kBlock / 32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;

  v = warp_sum(v);
  if (lane == 0) warp_partial[warp] = v;
  __syncthreads();

  if (warp == 0) {
    v = lane < kBlock / 32 ? warp_partial[lane] : 0.0f;
    v = warp_sum(v);
  }
  return v;
}

__global__ void reduce_sum(const float* __restrict__ in, size_t n,
                           float* __restrict__ out) {
  float v = 0.0f;
  const size_t stride = size_t(gridDim.x) * kBlock;
  for (size_t i = size_t(blockIdx.x) * kBlock + threadIdx.x; i < n; i += stride) {
    v += in[i];
  }
  v = block_sum(v);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}

float device_sum(const float* d_in, size_t n) {
  size_t wanted = (n + kBlock - 1) / kBlock;
  if (wanted == 0) return 0.0f;
  const int blocks = int(wanted < kMaxBlocks ? wanted : kMaxBlocks);

  float* d_partial = nullptr;  // one slot per block, one more for the total
  CUDA_CHECK(cudaMalloc(&d_partial, (blocks + 1) * sizeof(float)));
  reduce_sum<<<blocks, kBlock>>>(d_in, n, d_partial);
  CUDA_CHECK(cudaGetLastError());
  reduce_sum<<<1, kBlock>>>(d_partial, blocks, d_partial + blocks);
  CUDA_CHECK(cudaGetLastError());

  float total = 0.0f;
  CUDA_CHECK(cudaMemcpy(&total, d_partial + blocks, sizeof(float),
                        cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_partial));
  return total;
}

int main() {
  const size_t n = (size_t(1) << 22) + 37;  // deliberately not a round number
  std::vector<float> h(n);
  double expected = 0.0;
  for (size_t i = 0; i < n; ++i) {
    h[i] = float(i % 1000) * 0.001f;
    expected += h[i];
  }

  float* d = nullptr;
  CUDA_CHECK(cudaMalloc(&d, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  const float got = device_sum(d, n);
  CUDA_CHECK(cudaFree(d));

  const double rel = std::fabs(got - expected) / expected;
  std::printf("sum %.3f, expected %.3f, relative error %.2e\n", got, expected, rel);
  return rel < 1e-5 ? EXIT_SUCCESS : EXIT_FAILURE;
}
