// Transforms of CUB with several inputs, whose iterators a tuple of libcu++ holds.
#include <cstdio>
#include <cub/cub.cuh>
#include <cuda/std/tuple>

struct madd {
    __host__ __device__ int operator()(int a, short b, int c) const { return a * b + c; }
};

int main() {
    constexpr int n = 100;
    int *a, *c, *out;
    short* b;
    cudaMallocManaged(&a, n * sizeof(int));
    cudaMallocManaged(&b, n * sizeof(short));
    cudaMallocManaged(&c, n * sizeof(int));
    cudaMallocManaged(&out, n * sizeof(int));
    for (int i = 0; i < n; ++i) a[i] = i, b[i] = static_cast<short>(3 - i), c[i] = 1000 + i;
    int failures = 0;
    failures += cub::DeviceTransform::Transform(cuda::std::make_tuple(a, b, c), out, n, madd()) !=
                cudaSuccess;
    failures += cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < n; ++i) failures += out[i] != i * (3 - i) + 1000 + i;
    failures += cub::DeviceTransform::TransformStableArgumentAddresses(
                    cuda::std::make_tuple(out, b, c), out, n, madd()) != cudaSuccess;
    failures += cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < n; ++i) failures += out[i] != (i * (3 - i) + 1000 + i) * (3 - i) + 1000 + i;
    std::printf("%d failures\n", failures);
    return failures != 0;
}
