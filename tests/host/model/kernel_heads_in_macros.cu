#include "check.h"
#define KERNEL(...) __global__ void __VA_ARGS__
KERNEL(turn(float* x, int n)) {
    if (threadIdx.x < n) x[threadIdx.x] += 1;
}
#define KERNEL1(x) __global__ void x
KERNEL1(half_of(float* x)) {
    __shared__ float s[32];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[31 - threadIdx.x] / 2;
}
#define TKERNEL(T)        \
    template <typename T> \
    __global__ void
TKERNEL(T) fill(T* x, T v) { x[threadIdx.x] = v; }
#define DEFINE_KERNEL(name, op) \
    __global__ void name(float* x) { x[threadIdx.x] = x[threadIdx.x] op 2.0f; }
DEFINE_KERNEL(times, *)
DEFINE_KERNEL(plus2, +)
#define LAUNCH(k, ...)             \
    do {                           \
        k<<<1, 32>>>(__VA_ARGS__); \
        cudaDeviceSynchronize();   \
    } while (0)
#define DEVICE_FN(type, decl) __device__ __forceinline__ type decl
DEVICE_FN(float, triple(float a)) { return 3 * a; }
__global__ void k3(float* x) { x[threadIdx.x] = triple(x[threadIdx.x]); }
#define KERNEL_N(name, params) __global__ void __launch_bounds__(64) name params
KERNEL_N(add_n, (float* x, int n)) { x[threadIdx.x] += n; }
int main() {
    float* x = device(std::vector<float>(32, 1.f));
    LAUNCH(turn, x, 32);
    LAUNCH(half_of, x);
    LAUNCH(times, x);
    LAUNCH(plus2, x);
    k3<<<1, 32>>>(x);
    LAUNCH(add_n, x, 5);
    auto h = host(x, 32);
    MUST(h[0] == 17);
    MUST(h[31] == 17);
    fill<<<1, 32>>>(x, 4.f);
    MUST(taken(x, 32)[5] == 4);
    return verdict();
}
