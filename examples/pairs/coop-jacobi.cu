// Jacobi iteration for the Poisson equation inside ONE cooperative kernel:
// the whole grid meets at grid.sync() between sweeps, so there is no launch
// per sweep and the stopping test needs no trip to the host.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK_CUDA(x)                                                     \
  do {                                                                    \
    cudaError_t e = (x);                                                  \
    if (e != cudaSuccess) {                                               \
      std::fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(e));  \
      std::exit(1);                                                       \
    }                                                                     \
  } while (0)

struct Progress {
  unsigned int worst[2];  // largest change in a sweep, as the bits of a float >= 0
  int sweeps;
};

__global__ void jacobi(float* a, float* b, const float* rhs, int n, float tol,
                       int max_sweeps, Progress* progress) {
  cg::grid_group grid = cg::this_grid();
  const unsigned long long cells = (unsigned long long)n * n;

  int sweep = 0;
  for (; sweep < max_sweeps; ++sweep) {
    const int slot = sweep & 1;
    float change = 0.0f;
    for (unsigned long long i = grid.thread_rank(); i < cells; i += grid.size()) {
      const int x = int(i % n), y = int(i / n);
      if (x == 0 || y == 0 || x == n - 1 || y == n - 1) continue;
      const float v = 0.25f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n] - rhs[i]);
      change = fmaxf(change, fabsf(v - a[i]));
      b[i] = v;
    }
    // Non-negative floats order like their bit patterns.
    atomicMax(&progress->worst[slot], __float_as_uint(change));
    grid.sync();

    const float worst = __uint_as_float(*(volatile unsigned int*)&progress->worst[slot]);
    float* t = a;
    a = b;
    b = t;
    // The other slot was last read before this sweep's barrier: safe to clear.
    if (grid.thread_rank() == 0) progress->worst[slot ^ 1] = 0;
    if (worst < tol) break;  // the same decision in every thread
    grid.sync();
  }
  if (grid.thread_rank() == 0) progress->sweeps = sweep;
}

int main() {
  int device = 0, cooperative = 0, sms = 0, per_sm = 0;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
  CHECK_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  if (!cooperative) {
    std::fputs("this device has no cooperative launch\n", stderr);
    return 1;
  }

  int n = 128, max_sweeps = 50000;
  float tol = 1e-6f;
  std::vector<float> u(size_t(n) * n, 0.0f);
  for (int x = 0; x < n; ++x) u[x] = 1.0f;  // one warm edge
  const size_t bytes = u.size() * sizeof(float);

  float *a, *b, *rhs;
  Progress* progress;
  CHECK_CUDA(cudaMalloc(&a, bytes));
  CHECK_CUDA(cudaMalloc(&b, bytes));
  CHECK_CUDA(cudaMalloc(&rhs, bytes));
  CHECK_CUDA(cudaMalloc(&progress, sizeof(Progress)));
  CHECK_CUDA(cudaMemcpy(a, u.data(), bytes, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(b, u.data(), bytes, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemset(rhs, 0, bytes));
  CHECK_CUDA(cudaMemset(progress, 0, sizeof(Progress)));

  // All the blocks must be resident at once.
  const int threads = 256;
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, jacobi, threads, 0));
  const int needed = (n * n + threads - 1) / threads;
  const int blocks = needed < sms * per_sm ? needed : sms * per_sm;

  void* args[] = {&a, &b, &rhs, &n, &tol, &max_sweeps, &progress};
  CHECK_CUDA(cudaLaunchCooperativeKernel((const void*)jacobi, dim3(blocks), dim3(threads),
                                         args, 0, nullptr));
  CHECK_CUDA(cudaDeviceSynchronize());

  Progress host;
  CHECK_CUDA(cudaMemcpy(&host, progress, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("%s after %d sweeps\n", host.sweeps < max_sweeps ? "converged" : "stopped",
              host.sweeps);
  for (float* p : {a, b, rhs}) CHECK_CUDA(cudaFree(p));
  CHECK_CUDA(cudaFree(progress));
  return host.sweeps < max_sweeps ? 0 : 1;
}
