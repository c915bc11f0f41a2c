#include "check.h"
#if __CUDA_ARCH__ < 600 && defined(__CUDA_ARCH__)
__device__ double atomicAdd(double* a, double b) { return *a += b; }
#endif
#ifdef __CUDA_ARCH__
#define CONSTANT __constant__
#else
#define CONSTANT
#endif
struct pair_of {
    float a, b;
};
#ifdef __CUDA_ARCH__
#define HOSTDEV __host__ __device__
#else
#define HOSTDEV
#endif
HOSTDEV inline float both(const pair_of& p) { return p.a + p.b; }
static constexpr __host__ __device__ int lanes() {
#ifdef __CUDA_ARCH__
    return 32;
#else
    return 1;
#endif
}
class stack {
public:
    __host__ __device__ explicit stack(int n) : n_(n) {}
#ifndef __CUDA_ARCH__
    stack(const std::vector<int>& v) : n_((int)v.size()) {}
#endif
    __host__ __device__ ~stack() {
#ifndef __CUDA_ARCH__
        ++destroyed();
#endif
    }
    static int& destroyed() {
        static int n = 0;
        return n;
    }
    int n_;
};
__global__ void k(double* d, float* f) {
    atomicAdd(d, 1.0);
    f[0] = both({1, 2});
    f[1] = lanes();
    stack s(3);
    f[2] = s.n_;
}
int main() {
    double* d = device(std::vector<double>{0});
    float* f = device<float>(3);
    k<<<1, 8>>>(d, f);
    MUST(taken(d, 1)[0] == 8);
    auto h = taken(f, 3);
    MUST(h[0] == 3);
    MUST(h[1] == 32);
    MUST(h[2] == 3);
    MUST(lanes() == 1);
    {
        stack s(std::vector<int>(4));
        MUST(s.n_ == 4);
    }
    MUST(stack::destroyed() == 1);
    MUST(both({1, 1}) == 2);
    return verdict();
}
