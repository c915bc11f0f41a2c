// Transforms of CUB with several inputs, whose iterators a tuple of libcu++ holds.
#include <cstdio>
#include <cub/cub.cuh>
#include <cuda/std/tuple>

#include "check.h"

struct madd {
    __host__ __device__ int operator()(int a, short b, int c) const { return a * b + c; }
};

int main() {
    constexpr int n = 100;
    int *a = managed<int>(n), *c = managed<int>(n), *out = managed<int>(n);
    short* b = managed<short>(n);
    for (int i = 0; i < n; ++i) a[i] = i, b[i] = static_cast<short>(3 - i), c[i] = 1000 + i;
    OK(cub::DeviceTransform::Transform(cuda::std::make_tuple(a, b, c), out, n, madd()));
    wait_for_device();
    for (int i = 0; i < n; ++i) MUST(out[i] == i * (3 - i) + 1000 + i);
    OK(cub::DeviceTransform::TransformStableArgumentAddresses(cuda::std::make_tuple(out, b, c), out,
                                                              n, madd()));
    wait_for_device();
    for (int i = 0; i < n; ++i) MUST(out[i] == (i * (3 - i) + 1000 + i) * (3 - i) + 1000 + i);
    return verdict();
}
