// Conway's Game of Life on two surfaces. Reads beyond the edge return zero
// (cudaBoundaryModeZero), so the board is surrounded by dead cells for free.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_OR_DIE(e)                                                     \
  do {                                                                     \
    cudaError_t status = (e);                                              \
    if (status != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s\n  at %s:%d\n", cudaGetErrorString(status), \
                   __FILE__, __LINE__);                                    \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)

using cell = unsigned char;

__device__ cell read_cell(cudaSurfaceObject_t s, int x, int y) {
  // The x coordinate of a surface is in bytes.
  return surf2Dread<cell>(s, x * int(sizeof(cell)), y, cudaBoundaryModeZero);
}

__global__ void generation(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;

  int alive = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx != 0 || dy != 0) alive += read_cell(from, x + dx, y + dy);

  const cell me = read_cell(from, x, y);
  const cell next = (alive == 3 || (alive == 2 && me)) ? 1 : 0;
  surf2Dwrite(next, to, x * int(sizeof(cell)), y);
}

struct Board {
  cudaArray_t array = nullptr;
  cudaSurfaceObject_t surface = 0;

  Board(int w, int h) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<cell>();
    CUDA_OR_DIE(cudaMallocArray(&array, &format, w, h, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CUDA_OR_DIE(cudaCreateSurfaceObject(&surface, &resource));
  }
  ~Board() {
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
  }
  Board(const Board&) = delete;
};

std::vector<cell> step_on_host(const std::vector<cell>& from, int w, int h) {
  std::vector<cell> to(from.size());
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      int alive = 0;
      for (int v = y - 1; v <= y + 1; ++v)
        for (int u = x - 1; u <= x + 1; ++u)
          if ((u != x || v != y) && u >= 0 && v >= 0 && u < w && v < h) alive += from[v * w + u];
      to[y * w + x] = alive == 3 || (alive == 2 && from[y * w + x]);
    }
  return to;
}

int main() {
  const int w = 129, h = 70, generations = 40;
  std::vector<cell> cells(w * h), got(w * h);
  for (int i = 0; i < w * h; ++i) cells[i] = (i * 2654435761u >> 16) % 3 == 0;

  Board a(w, h), b(w, h);
  CUDA_OR_DIE(cudaMemcpy2DToArray(a.array, 0, 0, cells.data(), w, w, h, cudaMemcpyHostToDevice));

  const dim3 threads(32, 4);
  const dim3 blocks((w + threads.x - 1) / threads.x, (h + threads.y - 1) / threads.y);
  Board *now = &a, *next = &b;
  for (int g = 0; g < generations; ++g) {
    generation<<<blocks, threads>>>(now->surface, next->surface, w, h);
    CUDA_OR_DIE(cudaGetLastError());
    std::swap(now, next);
  }
  CUDA_OR_DIE(cudaMemcpy2DFromArray(got.data(), w, now->array, 0, 0, w, h, cudaMemcpyDeviceToHost));

  for (int g = 0; g < generations; ++g) cells = step_on_host(cells, w, h);
  std::puts(got == cells ? "boards agree" : "boards differ");
  return got == cells ? 0 : 1;
}
