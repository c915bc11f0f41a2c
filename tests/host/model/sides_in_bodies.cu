#include <string>

#include "check.h"
__host__ __device__ int of_both() {
#ifdef __CUDA_ARCH__
    return 1;
#else
    return 0;
#endif
}
struct thing {
    int v;
    __host__ __device__ thing() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
        v = 7;
#elif defined(__CUDA_ARCH__)
        v = 5;
#else
        v = static_cast<int>(std::string("abc").size());
#endif
    }
};
template <class T>
__host__ __device__ T twice(T a) {
#if !defined(__CUDA_ARCH__)
    T left = a * 2;
#else
    T left = a * 2 + T(1);
#endif
    return left;
}
__global__ void k(int* x) {
    x[0] = of_both();
    x[1] = thing().v;
    x[2] = twice(4);
    x[3] = (int)twice(2.5);
}
int main() {
    int* x = device<int>(4);
    k<<<1, 1>>>(x);
    auto h = taken(x, 4);
    MUST(h[0] == 1);
    MUST(h[1] == 7);
    MUST(h[2] == 9);
    MUST(h[3] == 6);
    MUST(of_both() == 0);
    MUST(thing().v == 3);
    MUST(twice(4) == 8);
    return verdict();
}
