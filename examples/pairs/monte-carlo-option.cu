// European call option by Monte Carlo. Random numbers are a pure function of
// (seed, path), so a run gives the same paths for any grid size.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(e)                                                        \
  if (const cudaError_t rc = (e); rc != cudaSuccess) {                  \
    std::fprintf(stderr, "CUDA error at line %d: %s\n", __LINE__,       \
                 cudaGetErrorString(rc));                               \
    std::exit(1);                                                       \
  }

struct Option {
  double spot, strike, rate, volatility, years;
};

// A 64-bit mixing function: a bijection with good avalanche.
__host__ __device__ inline uint64_t mix(uint64_t z) {
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// Two independent standard normals from one counter (Box-Muller).
__device__ inline float2 normals(uint64_t seed, uint64_t counter) {
  const uint64_t bits = mix(mix(seed) ^ counter);
  // u in (0, 1]: the logarithm must not see zero.
  const float u = (float(uint32_t(bits >> 40)) + 1.0f) * (1.0f / 16777216.0f);
  const float t = float(uint32_t(bits) >> 8) * (1.0f / 16777216.0f);
  const float r = sqrtf(-2.0f * logf(u));
  float s, c;
  sincospif(2.0f * t, &s, &c);
  return make_float2(r * c, r * s);
}

template <int BLOCK>
__global__ void simulate(Option o, uint64_t seed, uint64_t pairs, double* block_sum,
                         double* block_square) {
  __shared__ double sums[BLOCK], squares[BLOCK];
  const double drift = (o.rate - 0.5 * o.volatility * o.volatility) * o.years;
  const double sigma = o.volatility * sqrt(o.years);

  double sum = 0.0, square = 0.0;
  for (uint64_t i = uint64_t(blockIdx.x) * BLOCK + threadIdx.x; i < pairs;
       i += uint64_t(gridDim.x) * BLOCK) {
    const float2 z = normals(seed, i);
    const double a = fmax(o.spot * exp(drift + sigma * z.x) - o.strike, 0.0);
    const double b = fmax(o.spot * exp(drift + sigma * z.y) - o.strike, 0.0);
    sum += a + b;
    square += a * a + b * b;
  }
  sums[threadIdx.x] = sum;
  squares[threadIdx.x] = square;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];
      squares[threadIdx.x] += squares[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    block_sum[blockIdx.x] = sums[0];
    block_square[blockIdx.x] = squares[0];
  }
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

double black_scholes(const Option& o) {
  const double s = o.volatility * std::sqrt(o.years);
  const double d1 = (std::log(o.spot / o.strike) + o.rate * o.years) / s + 0.5 * s;
  return o.spot * normal_cdf(d1) -
         o.strike * std::exp(-o.rate * o.years) * normal_cdf(d1 - s);
}

int main() {
  const Option option = {100.0, 105.0, 0.03, 0.25, 1.5};
  const uint64_t pairs = uint64_t(1) << 22;
  constexpr int kBlock = 128, kGrid = 512;

  double* d;  // sums, then squares
  CHECK(cudaMalloc(&d, 2 * kGrid * sizeof(double)));
  simulate<kBlock><<<kGrid, kBlock>>>(option, 2024, pairs, d, d + kGrid);
  CHECK(cudaGetLastError());
  std::vector<double> h(2 * kGrid);
  CHECK(cudaMemcpy(h.data(), d, h.size() * sizeof(double), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d));

  double sum = 0.0, square = 0.0;
  for (int b = 0; b < kGrid; ++b) sum += h[b], square += h[kGrid + b];
  const double paths = 2.0 * double(pairs);
  const double mean = sum / paths;
  const double discount = std::exp(-option.rate * option.years);
  const double price = discount * mean;
  const double error = discount * std::sqrt((square / paths - mean * mean) / paths);
  const double exact = black_scholes(option);
  std::printf("price %.4f +- %.4f, closed form %.4f\n", price, error, exact);
  return std::fabs(price - exact) < 5.0 * error ? 0 : 1;
}
