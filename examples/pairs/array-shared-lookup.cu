// Apply one of several 2 x 4 affine maps to each 3-D point, two output
// coordinates at a time. The maps are staged in dynamic shared memory, whose
// size is counted in std::array objects.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_CHECK(x)                                                  \
  do {                                                                 \
    const cudaError_t rc = (x);                                        \
    if (rc != cudaSuccess) {                                           \
      std::fprintf(stderr, "line %d: %s\n", __LINE__,                  \
                   cudaGetErrorString(rc));                            \
      std::exit(1);                                                    \
    }                                                                  \
  } while (0)

template <typename T>
using Map = std::array<std::array<T, 4>, 2>;

template <typename M, int MaxMaps>
__global__ void project(const M* __restrict__ maps, int count, const float3* __restrict__ points,
                        const unsigned char* __restrict__ which, float2* __restrict__ out, int n) {
  // Plain floats underneath: the members of std::array are host functions.
  extern __shared__ float shared[];
  constexpr int kFloats = sizeof(M) / sizeof(float);
  const float* flat = reinterpret_cast<const float*>(maps);
  const int used = min(count, MaxMaps) * kFloats;
  for (int i = threadIdx.x; i < used; i += blockDim.x) shared[i] = flat[i];
  __syncthreads();

  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int chosen = which[i];
  if (chosen * kFloats >= used) {
    out[i] = make_float2(NAN, NAN);  // no such map
    return;
  }
  const float* m = shared + chosen * kFloats;
  const float3 p = points[i];
  out[i] = make_float2(m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3],
                       m[4] * p.x + m[5] * p.y + m[6] * p.z + m[7]);
}

int main() {
  constexpr int kMaps = 16;
  const int n = 12345;
  std::vector<Map<float>> maps(kMaps);
  for (int k = 0; k < kMaps; ++k)
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 4; ++c) maps[k][r][c] = float((k * 8 + r * 4 + c) % 11) - 5.0f;

  std::vector<float3> points(n);
  std::vector<unsigned char> which(n);
  std::vector<float2> out(n);
  for (int i = 0; i < n; ++i) {
    points[i] = make_float3(float(i % 7), float(i % 13) - 6.0f, float(i % 5) * 2.0f);
    which[i] = (unsigned char)(i % (kMaps + 1));  // one in seventeen is out of range
  }

  Map<float>* d_maps;
  float3* d_points;
  unsigned char* d_which;
  float2* d_out;
  CUDA_CHECK(cudaMalloc(&d_maps, kMaps * sizeof(Map<float>)));
  CUDA_CHECK(cudaMalloc(&d_points, n * sizeof(float3)));
  CUDA_CHECK(cudaMalloc(&d_which, n));
  CUDA_CHECK(cudaMalloc(&d_out, n * sizeof(float2)));
  CUDA_CHECK(cudaMemcpy(d_maps, maps.data(), kMaps * sizeof(Map<float>), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_points, points.data(), n * sizeof(float3), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_which, which.data(), n, cudaMemcpyHostToDevice));

  const int grid = (n + 127) / 128;
  project<std::array<std::array<float, 4>, 2>, kMaps>
      <<<grid, 128, kMaps * sizeof(std::array<std::array<float, 4>, 2>)>>>(
          d_maps, kMaps, d_points, d_which, d_out, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float2), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_maps));
  CUDA_CHECK(cudaFree(d_points));
  CUDA_CHECK(cudaFree(d_which));
  CUDA_CHECK(cudaFree(d_out));

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    if (which[i] >= kMaps) {
      wrong += !std::isnan(out[i].x) || !std::isnan(out[i].y);
      continue;
    }
    const float in[4] = {points[i].x, points[i].y, points[i].z, 1.0f};
    float want[2] = {0.0f, 0.0f};
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 4; ++c) want[r] += maps[which[i]][r][c] * in[c];
    wrong += out[i].x != want[0] || out[i].y != want[1];  // small integers: exact
  }
  std::printf("%d wrong of %d\n", wrong, n);
  return wrong ? 1 : 0;
}
