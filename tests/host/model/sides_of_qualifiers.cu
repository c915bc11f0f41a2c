#include "check.h"
#ifdef __CUDA_ARCH__
#define QUALIFIER __device__
#else
#define QUALIFIER
#endif
QUALIFIER inline int plus(int a) { return a + 1; }
#ifdef __CUDA_ARCH__
__device__
#endif
    int
    minus(int a) {
    return a - 1;
}
#ifdef __CUDA_ARCH__
__host__ __device__ int two(int a) { return a + 20; }
#else
__host__ __device__ int two(int a) { return a + 10; }
#endif
struct s {
    int v;
#ifdef __CUDA_ARCH__
    __device__ int get() const { return v + 100; }
#else
    int get() const { return v; }
#endif
};
struct functor {
    __host__ __device__ int operator()(int a) const {
#ifdef __CUDA_ARCH__
        return a + 1;
#else
        return a + 2;
#endif
    }
};
template <class F>
__global__ void apply(F f, int* x) {
    x[9] = f(1);
}
__global__ void k(int* x) {
    x[0] = plus(1);
    x[1] = minus(1);
    x[2] = two(1);
    s t{1};
    x[3] = t.get();
    x[4] = functor()(1);
}
int main() {
    int* x = device<int>(10);
    k<<<1, 1>>>(x);
    apply<<<1, 1>>>(functor(), x);
    auto h = taken(x, 10);
    MUST(h[0] == 2);
    MUST(h[1] == 0);
    MUST(h[2] == 21);
    MUST(h[3] == 101);
    MUST(h[4] == 2);
    MUST(h[9] == 2);
    MUST(plus(1) == 2);
    MUST(minus(1) == 0);
    MUST(two(1) == 11);
    MUST(s{1}.get() == 1);
    MUST(functor()(1) == 3);
    return verdict();
}
