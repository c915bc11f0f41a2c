// Overlap copies and compute: the data goes through in chunks, each on one of
// a few streams with its own device buffer. Events time the whole pipeline.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define CUDA_TRY(stmt)                                                \
  do {                                                                \
    const cudaError_t rc_ = (stmt);                                   \
    if (rc_ != cudaSuccess) {                                         \
      std::fprintf(stderr, "%s failed at line %d: %s\n", #stmt,       \
                   __LINE__, cudaGetErrorString(rc_));                \
      std::exit(EXIT_FAILURE);                                        \
    }                                                                 \
  } while (0)

__global__ void transform(float* data, size_t n) {
  const size_t stride = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    float x = data[i];
    for (int k = 0; k < 16; ++k) x = 0.5f * (x + 2.0f / x);  // towards sqrt(2)
    data[i] = x;
  }
}

int main() {
  constexpr int kStreams = 3;
  constexpr size_t kTotal = (size_t(8) << 20) + 123;
  constexpr size_t kChunk = size_t(1) << 20;

  // Asynchronous copies need page-locked host memory.
  float* host = nullptr;
  CUDA_TRY(cudaMallocHost(&host, kTotal * sizeof(float)));
  for (size_t i = 0; i < kTotal; ++i) host[i] = 1.0f + float(i % 100);

  cudaStream_t stream[kStreams];
  float* buffer[kStreams];
  for (int s = 0; s < kStreams; ++s) {
    CUDA_TRY(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
    CUDA_TRY(cudaMalloc(&buffer[s], kChunk * sizeof(float)));
  }

  cudaEvent_t begin, end, done[kStreams];
  CUDA_TRY(cudaEventCreate(&begin));
  CUDA_TRY(cudaEventCreate(&end));
  for (auto& e : done) CUDA_TRY(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));

  // Every stream starts after `begin`, recorded on the first of them.
  CUDA_TRY(cudaEventRecord(begin, stream[0]));
  for (int s = 1; s < kStreams; ++s) CUDA_TRY(cudaStreamWaitEvent(stream[s], begin, 0));

  int turn = 0;
  for (size_t at = 0; at < kTotal; at += kChunk, turn = (turn + 1) % kStreams) {
    const size_t count = std::min(kChunk, kTotal - at);
    const size_t bytes = count * sizeof(float);
    // Work on one stream runs in order, so its buffer is free again by the
    // time the next chunk's copy on that stream begins.
    CUDA_TRY(cudaMemcpyAsync(buffer[turn], host + at, bytes, cudaMemcpyHostToDevice,
                             stream[turn]));
    const unsigned blocks = unsigned(std::min<size_t>((count + 255) / 256, 2048));
    transform<<<blocks, 256, 0, stream[turn]>>>(buffer[turn], count);
    CUDA_TRY(cudaGetLastError());
    CUDA_TRY(cudaMemcpyAsync(host + at, buffer[turn], bytes, cudaMemcpyDeviceToHost,
                             stream[turn]));
  }

  // Join the other streams into the first, then record the end there.
  for (int s = 1; s < kStreams; ++s) {
    CUDA_TRY(cudaEventRecord(done[s], stream[s]));
    CUDA_TRY(cudaStreamWaitEvent(stream[0], done[s], 0));
  }
  CUDA_TRY(cudaEventRecord(end, stream[0]));
  CUDA_TRY(cudaEventSynchronize(end));

  float ms = 0.0f;
  CUDA_TRY(cudaEventElapsedTime(&ms, begin, end));
  std::printf("%.2f ms, %.2f GB/s both ways\n", ms, 2.0 * kTotal * sizeof(float) / ms / 1e6);

  size_t wrong = 0;
  for (size_t i = 0; i < kTotal; ++i) wrong += std::fabs(host[i] - 1.41421356f) > 1e-5f;

  for (int s = 0; s < kStreams; ++s) {
    CUDA_TRY(cudaFree(buffer[s]));
    CUDA_TRY(cudaEventDestroy(done[s]));
    CUDA_TRY(cudaStreamDestroy(stream[s]));
  }
  CUDA_TRY(cudaEventDestroy(begin));
  CUDA_TRY(cudaEventDestroy(end));
  CUDA_TRY(cudaFreeHost(host));
  if (wrong) std::fprintf(stderr, "%zu wrong values\n", wrong);
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
