// Index of the largest value of each short row, using cooperative groups
// tiles: a tile of 8, 16 or 32 threads per row.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

#define CUDA_CHECK(x)                                                    \
  do {                                                                   \
    if (cudaError_t e = (x); e != cudaSuccess) {                         \
      std::fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e));       \
      std::exit(1);                                                      \
    }                                                                    \
  } while (0)

struct Best {
  float value;
  int index;
};

// Ties go to the smaller index, so that the answer does not depend on order.
__device__ inline Best better(Best a, Best b) {
  if (b.value > a.value || (b.value == a.value && b.index < a.index)) return b;
  return a;
}

template <unsigned Width>
__device__ Best tile_best(const cg::thread_block_tile<Width>& tile, Best b) {
  for (unsigned mask = Width / 2; mask > 0; mask /= 2) {
    Best other;
    other.value = tile.shfl_xor(b.value, mask);
    other.index = tile.shfl_xor(b.index, mask);
    b = better(b, other);
  }
  return b;
}

template <unsigned Width>
__global__ void argmax_rows(const float* __restrict__ in, int rows, int cols, int* __restrict__ out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<Width>(block);
  const int row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
  if (row >= rows) return;  // the same for all threads of the tile

  const float* x = in + size_t(row) * cols;
  Best b = {-FLT_MAX, cols};
  for (int c = tile.thread_rank(); c < cols; c += tile.size()) b = better(b, {x[c], c});
  b = tile_best<Width>(tile, b);
  if (tile.thread_rank() == 0) out[row] = b.index;
}

template <unsigned Width>
void launch(const float* in, int rows, int cols, int* out) {
  constexpr int threads = 128, per_block = threads / Width;
  argmax_rows<Width><<<(rows + per_block - 1) / per_block, threads>>>(in, rows, cols, out);
  CUDA_CHECK(cudaGetLastError());
}

void argmax(const float* in, int rows, int cols, int* out) {
  if (cols <= 8) {
    launch<8>(in, rows, cols, out);
  } else if (cols <= 16) {
    launch<16>(in, rows, cols, out);
  } else {
    launch<32>(in, rows, cols, out);
  }
}

int main() {
  for (int cols : {1, 5, 8, 13, 31, 64, 300}) {
    const int rows = 1001;
    std::vector<float> in(size_t(rows) * cols);
    for (size_t i = 0; i < in.size(); ++i) in[i] = float((i * 7919) % 97) - 50.0f;

    float* d_in;
    int* d_out;
    CUDA_CHECK(cudaMalloc(&d_in, in.size() * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&d_out, rows * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));
    argmax(d_in, rows, cols, d_out);
    std::vector<int> got(rows);
    CUDA_CHECK(cudaMemcpy(got.data(), d_out, rows * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));

    for (int r = 0; r < rows; ++r) {
      int want = 0;
      for (int c = 1; c < cols; ++c)
        if (in[size_t(r) * cols + c] > in[size_t(r) * cols + want]) want = c;
      if (got[r] != want) {
        std::fprintf(stderr, "cols %d, row %d: got %d, want %d\n", cols, r, got[r], want);
        return 1;
      }
    }
    std::printf("cols %d ok\n", cols);
  }
  return 0;
}
