// Two kernels in a row with programmatic dependent launch: the second may
// start its set-up while the first is still finishing, and waits on the
// device before it touches the first one's results.
// Built for compute capabilities before 9.0, the pair simply runs in order.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define OK(call)                                                          \
  do {                                                                    \
    cudaError_t e_ = (call);                                              \
    if (e_ != cudaSuccess) {                                              \
      std::fprintf(stderr, "%s -> %s\n", #call, cudaGetErrorString(e_));  \
      std::exit(1);                                                       \
    }                                                                     \
  } while (0)

__global__ void scale(const float* __restrict__ in, float* __restrict__ mid, int n, float k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  // Let the next grid be scheduled; its memory view is still guarded by its wait.
  cudaTriggerProgrammaticLaunchCompletion();
#endif
  if (i < n) mid[i] = k * in[i];
}

__global__ void add_bias(const float* mid, const float* __restrict__ bias,
                         float* __restrict__ out, int n, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // Independent of the first kernel: may overlap with it.
  const float b = i < n ? bias[i % columns] : 0.0f;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();  // everything `scale` wrote is visible now
#endif
  if (i < n) out[i] = mid[i] + b;
}

int main() {
  const int rows = 777, columns = 64, n = rows * columns;
  std::vector<float> in(n), bias(columns), out(n);
  for (int i = 0; i < n; ++i) in[i] = float(i % 37);
  for (int c = 0; c < columns; ++c) bias[c] = 100.0f * c;

  float *d_in, *d_mid, *d_out, *d_bias;
  OK(cudaMalloc(&d_in, n * sizeof(float)));
  OK(cudaMalloc(&d_mid, n * sizeof(float)));
  OK(cudaMalloc(&d_out, n * sizeof(float)));
  OK(cudaMalloc(&d_bias, columns * sizeof(float)));
  OK(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_bias, bias.data(), columns * sizeof(float), cudaMemcpyHostToDevice));

  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  // Overlap only if the code that will run has the device-side wait in it.
  cudaFuncAttributes built;
  OK(cudaFuncGetAttributes(&built, add_bias));

  cudaLaunchConfig_t config = {};
  config.blockDim = dim3(128);
  config.gridDim = dim3((n + 127) / 128);
  config.dynamicSmemBytes = 0;
  config.stream = stream;
  OK(cudaLaunchKernelEx(&config, scale, d_in, d_mid, n, 2.0f));

  cudaLaunchAttribute overlap[1];
  overlap[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap[0].val.programmaticStreamSerializationAllowed = 1;
  config.attrs = overlap;
  config.numAttrs = built.ptxVersion >= 90 ? 1 : 0;
  OK(cudaLaunchKernelEx(&config, add_bias, d_mid, d_bias, d_out, n, columns));

  OK(cudaMemcpyAsync(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));

  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += out[i] != 2.0f * in[i] + bias[i % columns];
  std::printf("%d wrong of %d\n", wrong, n);

  OK(cudaStreamDestroy(stream));
  OK(cudaFree(d_in));
  OK(cudaFree(d_mid));
  OK(cudaFree(d_out));
  OK(cudaFree(d_bias));
  return wrong ? 1 : 0;
}
