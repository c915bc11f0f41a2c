// A short, often repeated chain of kernels recorded once as a CUDA graph and
// replayed: power iteration for the largest eigenvalue of a dense matrix.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void ok_(cudaError_t e, const char* file, int line) {
  if (e != cudaSuccess) {
    std::fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(e));
    std::exit(1);
  }
}
#define ok(x) ok_((x), __FILE__, __LINE__)

// One block per row; blockDim.x is a power of two.
__global__ void matvec(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int n) {
  extern __shared__ float part[];
  const float* row = a + size_t(blockIdx.x) * n;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < n; c += blockDim.x) sum += row[c] * x[c];
  part[threadIdx.x] = sum;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}

// x = y / |y| and *norm = |y|, in a single block.
__global__ void normalise(const float* __restrict__ y, float* __restrict__ x, float* norm, int n) {
  extern __shared__ float part[];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += y[i] * y[i];
  part[threadIdx.x] = sum;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  __syncthreads();
  const float length = sqrtf(part[0]);
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = y[i] / length;
  if (threadIdx.x == 0) *norm = length;
}

int main() {
  const int n = 400, replays = 20, steps_per_graph = 8, threads = 128;
  // A = 3 I + (1/n) * ones has the largest eigenvalue 4.
  std::vector<float> a(size_t(n) * n, 1.0f / n), x(n);
  for (int i = 0; i < n; ++i) {
    a[size_t(i) * n + i] += 3.0f;
    x[i] = i == 0 ? 1.0f : 0.1f;
  }

  float *d_a, *d_x, *d_y, *d_norm;
  ok(cudaMalloc(&d_a, a.size() * sizeof(float)));
  ok(cudaMalloc(&d_x, n * sizeof(float)));
  ok(cudaMalloc(&d_y, n * sizeof(float)));
  ok(cudaMalloc(&d_norm, sizeof(float)));
  ok(cudaMemcpy(d_a, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
  ok(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  cudaStream_t stream;
  ok(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int s = 0; s < steps_per_graph; ++s) {
    matvec<<<n, threads, threads * sizeof(float), stream>>>(d_a, d_x, d_y, n);
    normalise<<<1, threads, threads * sizeof(float), stream>>>(d_y, d_x, d_norm, n);
  }
  ok(cudaStreamEndCapture(stream, &graph));
  ok(cudaGraphInstantiateWithFlags(&exec, graph, 0));

  for (int r = 0; r < replays; ++r) ok(cudaGraphLaunch(exec, stream));
  float eigenvalue = 0.0f;
  ok(cudaMemcpyAsync(&eigenvalue, d_norm, sizeof(float), cudaMemcpyDeviceToHost, stream));
  ok(cudaStreamSynchronize(stream));
  std::printf("largest eigenvalue %.5f after %d steps\n", eigenvalue, replays * steps_per_graph);

  ok(cudaGraphExecDestroy(exec));
  ok(cudaGraphDestroy(graph));
  ok(cudaStreamDestroy(stream));
  for (float* p : {d_a, d_x, d_y, d_norm}) ok(cudaFree(p));
  return std::fabs(eigenvalue - 4.0f) < 1e-3f ? 0 : 1;
}
