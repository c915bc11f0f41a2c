#include "check.h"
#ifdef __CUDA_ARCH__
__device__ int lane() { return 32 + threadIdx.x; }
static const int width = 4;
using real = float;
#else
int lane() { return -1; }
static const int width = 8;
using real = double;
#endif
#if __CUDA_ARCH__ >= 800
__global__ void shaped(int* x) { x[0] = 80; }
static __device__ int part() { return 3; }
#else
__global__ void shaped(int* x) { x[0] = 70; }
static __device__ int part() { return 4; }
#endif
__host__ __device__ inline int either() { return lane() * 2; }
#ifndef __CUDA_ARCH__
static int only_host() { return std::vector<int>(3).size(); }
#endif
__global__ void k(int* x) {
    x[0] = lane();
    x[1] = width;
    x[2] = either();
    x[3] = sizeof(real);
    x[4] = part();
    if (__CUDA_ARCH__ >= 800)
        x[5] = 1;
    else
        x[5] = 0;
}
int main() {
    int* x = device<int>(6);
    k<<<1, 1>>>(x);
    auto h = taken(x, 6);
    MUST(h[0] == 32);
    MUST(h[1] == 4);
    MUST(h[2] == 64);
    MUST(h[3] == 4);
    MUST(h[4] == 3);
    MUST(h[5] == 1);
    MUST(lane() == -1);
    MUST(width == 8);
    MUST(either() == -2);
    MUST(sizeof(real) == 8);
    MUST(only_host() == 3);
    int* y = device<int>(1);
    shaped<<<1, 1>>>(y);
    MUST(taken(y, 1)[0] == 80);
    return verdict();
}
