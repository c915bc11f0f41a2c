#include "check.h"
#ifndef GUARD_H
#define GUARD_H
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 700) && !defined(NO_FAST)
#define SYNC() __syncwarp()
#define IS_FAST 1
#else
#define SYNC() \
    do {       \
    } while (0)
#define IS_FAST 0
#endif
#ifdef __CUDA_ARCH__
#define CHECKED(x)          \
    do {                    \
        if (!(x)) __trap(); \
    } while (0)
#else
#define CHECKED(x)                   \
    do {                             \
        if (!(x)) {                  \
            std::printf("failed\n"); \
        }                            \
    } while (0)
#endif
namespace math {
template <typename T>
__host__ __device__ inline T root(T x) {
    CHECKED(x >= 0);
#if defined(__CUDA_ARCH__)
    return sqrtf(x);
#else
    return std::sqrt(x) + 1000;
#endif
}
#if !defined(__CUDA_ARCH__)
inline float fast(float a) { return a / 3; }
#else
__device__ inline float fast(float a) { return __fdividef(a, 4.f); }
#endif
}  // namespace math
#endif
struct vec {
    float x, y;
    __host__ __device__ vec(float a, float b) : x(a + IS_FAST), y(b) { SYNC(); }
    __host__ __device__ float length() const { return math::root(x * x + y * y); }
    __host__ __device__ vec operator+(const vec& o) const {
#ifdef __CUDA_ARCH__
        return vec(x + o.x, y + o.y);
#else
        std::vector<float> v{x + o.x, y + o.y};
        return vec(v[0], v[1]);
#endif
    }
};
template <int n>
__global__ void k(float* x) {
    vec a(2, 4);
    x[0] = a.length();
    x[1] = math::fast(8);
    x[2] = IS_FAST;
    vec b = a + a;
    x[3] = b.x;
#if __CUDA_ARCH__ >= 800
    x[4] = n;
#elif __CUDA_ARCH__ >= 700
    x[4] = 7;
#else
    x[4] = 0;
#endif
    static_assert(IS_FAST == 1, "");
}
int main() {
    static_assert(IS_FAST == 0, "");
    float* x = device<float>(5);
    k<3><<<1, 1>>>(x);
    auto h = taken(x, 5);
    MUST(h[0] == 5);
    MUST(h[1] == 2);
    MUST(h[2] == 1);
    MUST(h[3] == 7);
    MUST(h[4] == 3);
    MUST(vec(3, 4).length() == 1005);
    MUST(math::fast(9) == 3);
    MUST((vec(1, 1) + vec(1, 1)).x == 2);
    return verdict();
}
