// Kernels with default arguments: what is given is converted to the parameters, zeros and braces too.
#include <cuda_runtime.h>

#include <cstdio>

struct weights {
    int first, second;
};
template <class T>
__device__ T twice(T x) {
    return 2 * x;
}
__global__ void fill(float* x, int n = 3, float by = twice(1.5f)) {
    if (x != nullptr && threadIdx.x < n) x[threadIdx.x] += by;
}
__global__ void weigh(float* x, const float* more = nullptr, weights w = {1, 2}, dim3 shape = 1) {
    x[threadIdx.x] += w.first * 10 + w.second + (more ? more[0] : 0) + shape.y;
}
namespace inner {
__global__ void nothing_needed(int* out = nullptr) {
    if (out) *out = 7;
}
}  // namespace inner
template <class... A>
void forward(A... arguments) {
    fill<<<1, 32>>>(arguments...);
}

int main() {
    float* x;
    int* y;
    cudaMallocManaged(&x, 32 * sizeof(float));
    cudaMallocManaged(&y, sizeof(int));
    fill<<<1, 32>>>(0);
    fill<<<1, 32>>>(NULL, 5);
    fill<<<1, 32>>>(x);
    fill<<<1, 32>>>(x, 2);
    fill<<<1, 32>>>(x, 4.5, 100);  // converted: four, as a float
    forward(x, 1, 1000.0f);
    cudaDeviceSynchronize();
    const float filled[] = {1106, 106, 103, 100, 0};
    for (int i = 0; i < 5; ++i)
        if (x[i] != filled[i]) return printf("fill %d: %g\n", i, x[i]), 1;
    for (int i = 0; i < 32; ++i) x[i] = 0;
    weigh<<<1, 32>>>(x);
    weigh<<<1, 32>>>(x, 0);
    weigh<<<1, 32>>>(x, 0, {3, 4});
    weigh<<<1, 32>>>(x, NULL, {3, 4}, {1, 100});
    cudaDeviceSynchronize();
    if (x[31] != 13 + 13 + 35 + 134) return printf("weigh: %g\n", x[31]), 2;
    inner::nothing_needed<<<1, 1>>>();
    inner::nothing_needed<<<1, 1>>>(y);
    return cudaDeviceSynchronize() == cudaSuccess && *y == 7 ? 0 : 3;
}
