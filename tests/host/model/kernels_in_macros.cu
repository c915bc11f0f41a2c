#include "check.h"
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
#define KERNEL_N(name, params) __global__ void __launch_bounds__(64) name params
KERNEL_N(add_n, (float* x, int n)) { x[threadIdx.x] += n; }
#define DEFINE_BARRIER(name, T)               \
    __global__ void name(T* x) {              \
        __shared__ T s[32];                   \
        s[threadIdx.x] = x[threadIdx.x];      \
        __syncthreads();                      \
        x[threadIdx.x] = s[31 - threadIdx.x]; \
    }
DEFINE_BARRIER(turned, float)
#define TEMPLATE_KERNEL(name)                 \
    template <int n>                          \
    __global__ void name##_kernel(float* x) { \
        x[threadIdx.x] *= n;                  \
    }
TEMPLATE_KERNEL(scale)
int main() {
    float* x = device(std::vector<float>(32, 1.f));
    LAUNCH(times, x);
    LAUNCH(plus2, x);
    LAUNCH(add_n, x, 5);
    LAUNCH(turned, x);
    scale_kernel<2><<<1, 32>>>(x);
    auto h = host(x, 32);
    MUST(h[0] == 18);
    MUST(h[31] == 18);
    fill<<<1, 32>>>(x, 4.f);
    MUST(taken(x, 32)[5] == 4);
    return verdict();
}
