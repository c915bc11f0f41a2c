// LayerNorm forward for float and half activations: one warp per row,
// statistics always in float, variance from the centred values.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t status, const char* where) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", where, cudaGetErrorString(status));
  std::exit(1);
}

constexpr int kWarpsPerBlock = 4;

__device__ inline float load(const float* p) { return *p; }
__device__ inline float load(const __half* p) { return __half2float(*p); }
__device__ inline void store(float* p, float v) { *p = v; }
__device__ inline void store(__half* p, float v) { *p = __float2half_rn(v); }

__device__ inline float warp_all_sum(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}

template <typename T>
__global__ void __launch_bounds__(32 * kWarpsPerBlock)
layernorm(const T* __restrict__ x, const float* __restrict__ gamma,
          const float* __restrict__ beta, T* __restrict__ y,
          int rows, int cols, float eps) {
  const int lane = threadIdx.x;
  const int row = blockIdx.x * kWarpsPerBlock + threadIdx.y;
  if (row >= rows) return;  // a whole warp leaves, and there is no block barrier

  const T* in = x + size_t(row) * cols;
  T* out = y + size_t(row) * cols;

  float sum = 0.0f;
  for (int c = lane; c < cols; c += 32) sum += load(in + c);
  const float mean = warp_all_sum(sum) / cols;

  float square = 0.0f;
  for (int c = lane; c < cols; c += 32) {
    const float d = load(in + c) - mean;
    square += d * d;
  }
  const float inv_std = rsqrtf(warp_all_sum(square) / cols + eps);

  for (int c = lane; c < cols; c += 32) {
    store(out + c, (load(in + c) - mean) * inv_std * gamma[c] + beta[c]);
  }
}

template <typename T>
T from_float(float v);
template <>
float from_float<float>(float v) { return v; }
template <>
__half from_float<__half>(float v) { return __float2half(v); }
float to_float(float v) { return v; }
float to_float(__half v) { return __half2float(v); }

template <typename T>
bool test(const char* name, double tolerance) {
  const int rows = 333, cols = 500;
  const float eps = 1e-5f;
  std::vector<T> x(size_t(rows) * cols), y(x.size());
  std::vector<float> gamma(cols), beta(cols);
  for (size_t i = 0; i < x.size(); ++i) x[i] = from_float<T>(3.0f + float((i * 37) % 101) / 50.0f);
  for (int c = 0; c < cols; ++c) gamma[c] = 1.0f + 0.001f * c, beta[c] = 0.01f * c - 2.0f;

  T *dx, *dy;
  float *dg, *db;
  check(cudaMalloc(&dx, x.size() * sizeof(T)), "malloc x");
  check(cudaMalloc(&dy, x.size() * sizeof(T)), "malloc y");
  check(cudaMalloc(&dg, cols * sizeof(float)), "malloc gamma");
  check(cudaMalloc(&db, cols * sizeof(float)), "malloc beta");
  check(cudaMemcpy(dx, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice), "copy x");
  check(cudaMemcpy(dg, gamma.data(), cols * sizeof(float), cudaMemcpyHostToDevice), "copy gamma");
  check(cudaMemcpy(db, beta.data(), cols * sizeof(float), cudaMemcpyHostToDevice), "copy beta");

  const dim3 block(32, kWarpsPerBlock);
  layernorm<T><<<(rows + kWarpsPerBlock - 1) / kWarpsPerBlock, block>>>(dx, dg, db, dy, rows, cols, eps);
  check(cudaGetLastError(), "layernorm");
  check(cudaMemcpy(y.data(), dy, y.size() * sizeof(T), cudaMemcpyDeviceToHost), "copy y");
  for (void* p : {(void*)dx, (void*)dy, (void*)dg, (void*)db}) check(cudaFree(p), "free");

  double worst = 0.0;
  for (int r = 0; r < rows; ++r) {
    double mean = 0.0, var = 0.0;
    for (int c = 0; c < cols; ++c) mean += to_float(x[size_t(r) * cols + c]) / double(cols);
    for (int c = 0; c < cols; ++c) var += std::pow(to_float(x[size_t(r) * cols + c]) - mean, 2) / cols;
    for (int c = 0; c < cols; ++c) {
      const size_t i = size_t(r) * cols + c;
      const double want = (to_float(x[i]) - mean) / std::sqrt(var + eps) * gamma[c] + beta[c];
      worst = std::fmax(worst, std::fabs(want - to_float(y[i])));
    }
  }
  std::printf("%s: largest error %.2e\n", name, worst);
  return worst < tolerance;
}

int main() {
  const bool f = test<float>("float", 1e-4);
  const bool h = test<__half>("half", 1e-2);
  return f && h ? 0 : 1;
}
