// y = A x for a CSR matrix, with a small group of threads per row. The group
// size (2 to 32, a power of two) follows the mean row length.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#define RT(call) rt((call), #call, __LINE__)
static void rt(cudaError_t code, const char* call, int line) {
  if (code != cudaSuccess) {
    std::fprintf(stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString(code));
    std::exit(1);
  }
}

struct Csr {
  int rows;
  std::vector<int> row_start;  // rows + 1 of them
  std::vector<int> column;
  std::vector<double> value;
};

template <int GROUP>
__global__ void spmv(int rows, const int* __restrict__ row_start,
                     const int* __restrict__ column, const double* __restrict__ value,
                     const double* __restrict__ x, double* __restrict__ y) {
  static_assert(GROUP <= 32 && (GROUP & (GROUP - 1)) == 0, "must fit in a warp");
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / GROUP;
  const int lane = threadIdx.x % GROUP;

  // Groups past the end stay for the shuffles with nothing to add.
  double sum = 0.0;
  if (row < rows) {
    const int end = row_start[row + 1];
    for (int k = row_start[row] + lane; k < end; k += GROUP) sum += value[k] * x[column[k]];
  }
#pragma unroll
  for (int o = GROUP / 2; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o, GROUP);
  if (row < rows && lane == 0) y[row] = sum;
}

template <int GROUP>
void launch(int rows, const int* rs, const int* col, const double* val, const double* x, double* y) {
  constexpr int kThreads = 128;
  constexpr int kRowsPerBlock = kThreads / GROUP;
  spmv<GROUP><<<(rows + kRowsPerBlock - 1) / kRowsPerBlock, kThreads>>>(rows, rs, col, val, x, y);
  RT(cudaGetLastError());
}

void spmv_any(int rows, size_t nnz, const int* rs, const int* col, const double* val,
              const double* x, double* y) {
  if (rows == 0) return;
  const double mean = double(nnz) / rows;
  if (mean <= 2) launch<2>(rows, rs, col, val, x, y);
  else if (mean <= 4) launch<4>(rows, rs, col, val, x, y);
  else if (mean <= 8) launch<8>(rows, rs, col, val, x, y);
  else if (mean <= 16) launch<16>(rows, rs, col, val, x, y);
  else launch<32>(rows, rs, col, val, x, y);
}

Csr make_matrix(int rows, int cols) {
  Csr a{rows, std::vector<int>(rows + 1, 0), {}, {}};
  for (int r = 0; r < rows; ++r) {
    const int length = r % 7 == 0 ? 0 : (r * 13) % 40;  // some rows are empty
    for (int k = 0; k < length; ++k) {
      a.column.push_back((r * 17 + k * 101) % cols);
      a.value.push_back(1.0 / (1 + (r + k) % 9));
    }
    a.row_start[r + 1] = int(a.column.size());
  }
  return a;
}

template <typename T>
T* upload(const std::vector<T>& v) {
  T* p = nullptr;
  RT(cudaMalloc(&p, v.size() * sizeof(T)));
  RT(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}

int main() {
  const int cols = 4000;
  const Csr a = make_matrix(5000, cols);
  std::vector<double> x(cols), y(a.rows);
  std::iota(x.begin(), x.end(), 1.0);

  int* d_rs = upload(a.row_start);
  int* d_col = upload(a.column);
  double* d_val = upload(a.value);
  double* d_x = upload(x);
  double* d_y = upload(y);
  spmv_any(a.rows, a.value.size(), d_rs, d_col, d_val, d_x, d_y);
  RT(cudaMemcpy(y.data(), d_y, y.size() * sizeof(double), cudaMemcpyDeviceToHost));
  for (void* p : {(void*)d_rs, (void*)d_col, (void*)d_val, (void*)d_x, (void*)d_y}) RT(cudaFree(p));

  for (int r = 0; r < a.rows; ++r) {
    double want = 0.0;
    for (int k = a.row_start[r]; k < a.row_start[r + 1]; ++k) want += a.value[k] * x[a.column[k]];
    if (std::fabs(want - y[r]) > 1e-9 * (1.0 + std::fabs(want))) {
      std::fprintf(stderr, "row %d: %g, want %g\n", r, y[r], want);
      return 1;
    }
  }
  std::printf("%d rows, %zu non-zeros: ok\n", a.rows, a.value.size());
  return 0;
}
