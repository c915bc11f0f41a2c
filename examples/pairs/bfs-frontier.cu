// Breadth-first search over a CSR graph, level by level. The current frontier
// is a queue of vertices; whoever claims an unseen neighbour with atomicCAS
// appends it to the next queue.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <queue>
#include <utility>
#include <vector>

#define CUDA_CHECK(call)                                                 \
  do {                                                                   \
    cudaError_t rc = (call);                                             \
    if (rc != cudaSuccess) {                                             \
      fprintf(stderr, "%s (line %d)\n", cudaGetErrorString(rc), __LINE__); \
      exit(1);                                                           \
    }                                                                    \
  } while (0)

constexpr int kUnseen = -1;

__global__ void expand(const int* __restrict__ row_start, const int* __restrict__ neighbour,
                       const int* __restrict__ frontier, int frontier_size, int level,
                       int* depth, int* next, int* next_size) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int warps = gridDim.x * blockDim.x / 32;
  const int lane = threadIdx.x % 32;

  // One warp per vertex, its lanes side by side over the edges.
  for (int f = warp; f < frontier_size; f += warps) {
    const int v = frontier[f];
    const int end = row_start[v + 1];
    for (int e = row_start[v] + lane; e < end; e += 32) {
      const int u = neighbour[e];
      // The plain read may be stale; the atomic decides.
      if (depth[u] == kUnseen && atomicCAS(&depth[u], kUnseen, level) == kUnseen) {
        next[atomicAdd(next_size, 1)] = u;  // each vertex enters a queue once
      }
    }
  }
}

std::vector<int> bfs_gpu(const std::vector<int>& row_start, const std::vector<int>& neighbour, int source) {
  const int n = int(row_start.size()) - 1;
  int *d_rows, *d_adj, *d_depth, *d_front, *d_next, *d_size;
  CUDA_CHECK(cudaMalloc(&d_rows, row_start.size() * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_adj, (neighbour.size() + 1) * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_depth, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_front, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_next, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_size, sizeof(int)));
  CUDA_CHECK(cudaMemcpy(d_rows, row_start.data(), row_start.size() * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_adj, neighbour.data(), neighbour.size() * sizeof(int), cudaMemcpyHostToDevice));

  std::vector<int> depth(n, kUnseen);
  depth[source] = 0;
  CUDA_CHECK(cudaMemcpy(d_depth, depth.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_front, &source, sizeof(int), cudaMemcpyHostToDevice));

  int size = 1;
  for (int level = 1; size > 0; ++level) {
    CUDA_CHECK(cudaMemset(d_size, 0, sizeof(int)));
    const int blocks = size / 8 + 1 < 1024 ? size / 8 + 1 : 1024;  // 8 warps each
    expand<<<blocks, 256>>>(d_rows, d_adj, d_front, size, level, d_depth, d_next, d_size);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(&size, d_size, sizeof(int), cudaMemcpyDeviceToHost));
    std::swap(d_front, d_next);
  }

  CUDA_CHECK(cudaMemcpy(depth.data(), d_depth, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int* p : {d_rows, d_adj, d_depth, d_front, d_next, d_size}) CUDA_CHECK(cudaFree(p));
  return depth;
}

std::vector<int> bfs_cpu(const std::vector<int>& row_start, const std::vector<int>& neighbour, int source) {
  std::vector<int> depth(row_start.size() - 1, kUnseen);
  std::queue<int> todo;
  depth[source] = 0;
  for (todo.push(source); !todo.empty(); todo.pop()) {
    const int v = todo.front();
    for (int e = row_start[v]; e < row_start[v + 1]; ++e) {
      const int u = neighbour[e];
      if (depth[u] != kUnseen) continue;
      depth[u] = depth[v] + 1;
      todo.push(u);
    }
  }
  return depth;
}

int main() {
  const int n = 100000;
  std::vector<int> row_start(1, 0), neighbour;
  unsigned state = 1;
  for (int v = 0; v < n; ++v) {
    const int degree = v % 50 == 0 ? 120 : int(state % 4);  // a few hubs
    for (int k = 0; k < degree; ++k) {
      state = state * 1664525u + 1013904223u;
      neighbour.push_back(int((state >> 8) % n));
    }
    row_start.push_back(int(neighbour.size()));
    state = state * 1664525u + 1013904223u;
  }
  const bool same = bfs_gpu(row_start, neighbour, 0) == bfs_cpu(row_start, neighbour, 0);
  puts(same ? "depths agree" : "depths differ");
  return same ? 0 : 1;
}
