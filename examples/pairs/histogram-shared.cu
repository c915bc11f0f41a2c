// 256-bin byte histogram. Each block counts into its own shared histogram
// and merges it into the global one at the end, so that the hot atomics
// stay on chip.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define GPU(call)                                                          \
  do {                                                                     \
    cudaError_t rc = (call);                                               \
    if (rc != cudaSuccess) {                                               \
      fprintf(stderr, #call " failed: %s\n", cudaGetErrorString(rc));      \
      exit(1);                                                             \
    }                                                                      \
  } while (0)

constexpr int BINS = 256;

__global__ void histogram256(const uint8_t* __restrict__ data, size_t n,
                             unsigned int* __restrict__ hist)
{
  __shared__ unsigned int local[BINS];
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) local[b] = 0;
  __syncthreads();

  // cudaMalloc aligns to 256 bytes, so the data can be read as 32-bit words.
  const size_t words = n / 4;
  const uint32_t* data4 = reinterpret_cast<const uint32_t*>(data);
  const size_t tid = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const size_t stride = size_t(gridDim.x) * blockDim.x;
  for (size_t i = tid; i < words; i += stride) {
    const uint32_t w = data4[i];
    atomicAdd(&local[w & 0xff], 1u);
    atomicAdd(&local[(w >> 8) & 0xff], 1u);
    atomicAdd(&local[(w >> 16) & 0xff], 1u);
    atomicAdd(&local[w >> 24], 1u);
  }
  // The last zero to three bytes.
  const size_t tail = words * 4 + tid;
  if (tail < n) atomicAdd(&local[data[tail]], 1u);
  __syncthreads();

  for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
    if (local[b] != 0) atomicAdd(&hist[b], local[b]);
  }
}

int main()
{
  const size_t n = (16u << 20) + 3;
  std::vector<uint8_t> data(n);
  uint32_t state = 12345;
  for (auto& byte : data) {
    state = state * 1664525u + 1013904223u;
    byte = uint8_t((state >> 24) & (state >> 16));  // skewed on purpose
  }

  uint8_t* d_data = nullptr;
  unsigned int* d_hist = nullptr;
  GPU(cudaMalloc(&d_data, n));
  GPU(cudaMalloc(&d_hist, BINS * sizeof(unsigned int)));
  GPU(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
  GPU(cudaMemset(d_hist, 0, BINS * sizeof(unsigned int)));

  int sms = 0;
  GPU(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  histogram256<<<sms * 4, 256>>>(d_data, n, d_hist);
  GPU(cudaGetLastError());

  std::vector<unsigned int> got(BINS), want(BINS, 0);
  GPU(cudaMemcpy(got.data(), d_hist, BINS * sizeof(unsigned int), cudaMemcpyDeviceToHost));
  for (uint8_t byte : data) ++want[byte];
  GPU(cudaFree(d_data));
  GPU(cudaFree(d_hist));

  if (got != want) {
    fputs("histograms differ\n", stderr);
    return 1;
  }
  printf("%zu bytes, bin 0 holds %u\n", n, got[0]);
  return 0;
}
