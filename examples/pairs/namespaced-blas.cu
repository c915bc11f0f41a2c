// A few vector kernels in nested namespaces with a typed C++ front end.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace tiny {
namespace detail {

inline void require(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

template <typename T>
__global__ void axpy(size_t n, T a, const T* __restrict__ x, T* __restrict__ y) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

template <typename T, int BlockSize>
__global__ void dot(size_t n, const T* __restrict__ x, const T* __restrict__ y, T* out) {
  static_assert((BlockSize & (BlockSize - 1)) == 0, "a power of two");
  __shared__ T part[BlockSize];
  T sum = 0;
  for (size_t i = size_t(blockIdx.x) * BlockSize + threadIdx.x; i < n;
       i += size_t(gridDim.x) * BlockSize)
    sum += x[i] * y[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = BlockSize / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, part[0]);
}

}  // namespace detail

template <typename T>
class Vector {
 public:
  explicit Vector(const std::vector<T>& v) : n_(v.size()) {
    detail::require(cudaMalloc(&p_, n_ * sizeof(T)), "malloc");
    detail::require(cudaMemcpy(p_, v.data(), n_ * sizeof(T), cudaMemcpyHostToDevice), "copy");
  }
  ~Vector() { cudaFree(p_); }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;

  T* data() { return p_; }
  const T* data() const { return p_; }
  size_t size() const { return n_; }

 private:
  T* p_ = nullptr;
  size_t n_;
};

template <typename T>
void axpy(T a, const Vector<T>& x, Vector<T>& y) {
  const unsigned blocks = unsigned((x.size() + 255) / 256);
  detail::axpy<T><<<blocks, 256>>>(x.size(), a, x.data(), y.data());
  detail::require(cudaGetLastError(), "axpy");
}

template <typename T>
T dot(const Vector<T>& x, const Vector<T>& y) {
  Vector<T> out(std::vector<T>(1, T(0)));
  ::tiny::detail::dot<T, 128><<<64, 128>>>(x.size(), x.data(), y.data(), out.data());
  detail::require(cudaGetLastError(), "dot");
  T result;
  detail::require(cudaMemcpy(&result, out.data(), sizeof(T), cudaMemcpyDeviceToHost), "copy back");
  return result;
}

}  // namespace tiny

int main() try {
  const size_t n = 200001;
  std::vector<double> hx(n), hy(n);
  double want = 0.0;
  for (size_t i = 0; i < n; ++i) {
    hx[i] = std::sin(0.001 * double(i));
    hy[i] = std::cos(0.001 * double(i));
    want += hx[i] * (hy[i] + 3.0 * hx[i]);
  }
  tiny::Vector<double> x(hx), y(hy);
  tiny::axpy(3.0, x, y);
  const double got = tiny::dot(x, y);
  std::printf("got %.9f, want %.9f\n", got, want);
  return std::fabs(got - want) < 1e-6 * std::fabs(want) ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "error: %s\n", e.what());
  return 1;
}
