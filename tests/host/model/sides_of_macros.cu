#include "check.h"
#if !defined(__CUDA_ARCH__)
#define SIDE 0
#else
#define SIDE 1
#endif
#define TWICE (2 * SIDE + 1)
struct thing {
    int v;
    __host__ __device__ thing() : v(SIDE) {}
};
__host__ __device__ int both() { return TWICE; }
#define ON_DEVICE defined(__CUDA_ARCH__)
#define ARCH_OR(x) (__CUDA_ARCH__ + (x))
__host__ __device__ int way() {
#if ON_DEVICE
    return ARCH_OR(1) > 100;
#else
    return 5;
#endif
}
#ifdef __CUDA_ARCH__
#define FAST 1
#endif
#ifdef FAST
static __device__ int speed() { return 2; }
#else
static int speed() { return 1; }
#endif
__global__ void k(int* x) {
    x[0] = SIDE;
    x[1] = TWICE;
    x[2] = thing().v;
    x[3] = both();
    x[4] = way();
#ifdef FAST
    x[5] = 1;
#else
    x[5] = 0;
#endif
    x[6] = speed();
}
int main() {
    int* x = device<int>(7);
    k<<<1, 1>>>(x);
    auto h = taken(x, 7);
    MUST(h[0] == 1);
    MUST(h[1] == 3);
    MUST(h[2] == 1);
    MUST(h[3] == 3);
    MUST(h[4] == 1);
    MUST(h[5] == 1);
    MUST(h[6] == 2);
    MUST(SIDE == 0);
    MUST(TWICE == 1);
    MUST(thing().v == 0);
    MUST(both() == 1);
    MUST(way() == 5);
    MUST(speed() == 1);
#ifdef FAST
    MUST(false);
#endif
    MUST(__LINE__ == 63);
    return verdict();
}
