// Dot product and axpy with HIP, for AMD and NVIDIA devices alike.
// Build: hipcc -O2 hip-dot.hip.cpp -o hip-dot
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP_CHECK(call)                                                   \
  do {                                                                    \
    hipError_t status = (call);                                           \
    if (status != hipSuccess) {                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,             \
                   hipGetErrorString(status));                            \
      std::exit(EXIT_FAILURE);                                            \
    }                                                                     \
  } while (0)

constexpr int kBlock = 256;

__global__ void axpy(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// A shared memory tree with a barrier at every level: no assumption about
// whether a wavefront has 32 or 64 lanes.
__global__ void __launch_bounds__(kBlock)
dot_partial(int n, const float* __restrict__ x, const float* __restrict__ y,
            float* __restrict__ partial) {
  __shared__ float sum[kBlock];
  float mine = 0.0f;
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock) {
    mine += x[i] * y[i];
  }
  sum[threadIdx.x] = mine;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sum[threadIdx.x] += sum[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = sum[0];
}

int main() {
  const int n = 1000003, blocks = 120;
  const float a = 0.5f;
  std::vector<float> x(n), y(n), partial(blocks);
  double want = 0.0;
  for (int i = 0; i < n; ++i) {
    x[i] = float(i % 17) - 8.0f;
    y[i] = float(i % 23) * 0.125f;
    want += double(x[i]) * (double(a) * x[i] + y[i]);
  }

  float *d_x = nullptr, *d_y = nullptr, *d_partial = nullptr;
  const size_t bytes = n * sizeof(float);
  HIP_CHECK(hipMalloc(&d_x, bytes));
  HIP_CHECK(hipMalloc(&d_y, bytes));
  HIP_CHECK(hipMalloc(&d_partial, blocks * sizeof(float)));
  HIP_CHECK(hipMemcpy(d_x, x.data(), bytes, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(d_y, y.data(), bytes, hipMemcpyHostToDevice));

  // The two ways to launch: the macro, which plain C++ tools can parse, and
  // the triple brackets.
  hipLaunchKernelGGL(axpy, dim3((n + kBlock - 1) / kBlock), dim3(kBlock), 0, 0, n, a, d_x, d_y);
  HIP_CHECK(hipGetLastError());
  dot_partial<<<dim3(blocks), dim3(kBlock), 0, 0>>>(n, d_x, d_y, d_partial);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(partial.data(), d_partial, blocks * sizeof(float), hipMemcpyDeviceToHost));

  HIP_CHECK(hipFree(d_x));
  HIP_CHECK(hipFree(d_y));
  HIP_CHECK(hipFree(d_partial));

  double got = 0.0;
  for (float p : partial) got += p;
  std::printf("dot %.6g, expected %.6g\n", got, want);
  return std::fabs(got - want) <= 1e-4 * std::fabs(want) ? EXIT_SUCCESS : EXIT_FAILURE;
}
