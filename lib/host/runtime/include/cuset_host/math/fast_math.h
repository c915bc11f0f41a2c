// CUDA's fast and approximate functions (__expf, __fdividef …), computed with the accurate ones of
// the C library: a program that tolerates the fast functions' errors tolerates these.
//
// glibc declares some of these names with C linkage and without exceptions; noexcept says the same.
#pragma once

#include <cuset_host/cuda_types.h>

inline float __saturatef(float x) { return x >= 1.0f ? 1.0f : x > 0.0f ? x : 0.0f; }
CUSET_HOST_ARITHMETIC float fdividef(float x, float y) noexcept { return x / y; }
/// A divisor beyond 2^126 gives 0, as the CUDA C++ Programming Guide says of it, and NaN where x is
/// infinite.
CUSET_HOST_ARITHMETIC float __fdividef(float x, float y) noexcept {
    const bool is_beyond = y > 0x1p126F || y < -0x1p126F;
    return is_beyond ? x * (y < 0 ? -0.0F : 0.0F) : x / y;
}
CUSET_HOST_ARITHMETIC double fdivide(double x, double y) noexcept { return x / y; }

CUSET_HOST_ARITHMETIC float __expf(float x) noexcept { return ::expf(x); }
CUSET_HOST_ARITHMETIC float __exp10f(float x) noexcept { return ::exp10f(x); }
CUSET_HOST_ARITHMETIC float __logf(float x) noexcept { return ::logf(x); }
CUSET_HOST_ARITHMETIC float __log2f(float x) noexcept { return ::log2f(x); }
CUSET_HOST_ARITHMETIC float __log10f(float x) noexcept { return ::log10f(x); }
CUSET_HOST_ARITHMETIC float __powf(float x, float y) noexcept { return ::powf(x, y); }
CUSET_HOST_ARITHMETIC float __sinf(float x) noexcept { return ::sinf(x); }
CUSET_HOST_ARITHMETIC float __cosf(float x) noexcept { return ::cosf(x); }
CUSET_HOST_ARITHMETIC float __tanf(float x) noexcept { return ::tanf(x); }
CUSET_HOST_ARITHMETIC float __tanhf(float x) noexcept { return ::tanhf(x); }
CUSET_HOST_ARITHMETIC void __sincosf(float x, float* sine, float* cosine) noexcept {
    *sine = ::sinf(x);
    *cosine = ::cosf(x);
}
