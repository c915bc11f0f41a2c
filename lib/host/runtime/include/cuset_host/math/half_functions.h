// The parts of cuda_fp16.h and cuda_bf16.h that are for nvcc and not for a host compiler: fused
// multiply-add, mathematical functions, conversions to integers, loads with a hint, atomicAdd.
// Their shadow headers include this once for both types. (Arithmetic, comparisons and conversions
// from float are the toolkit's own, which have host versions; shuffles are templates of warp.h.)
//
// Mathematical functions are computed in float and rounded, as the device does.
#pragma once

#include <cuset_host/math/device_math.h>
#include <cuset_host/math/narrow_floats.h>
#include <cuset_host/threads/atomics.h>

namespace cuset_host {

inline float reciprocal(float x) { return 1.0f / x; }

inline int to_short(int x) { return clamped(x, -32768, 32767); }
inline unsigned to_ushort(unsigned x) { return x > 65535u ? 65535u : x; }

}  // namespace cuset_host

// T2 has members x and y.
#define CUSET_HOST_NARROW_FUNCTION(T, T2, to_float, from_float, name, function)              \
    CUSET_HOST_ARITHMETIC T h##name(const T x) { return from_float(function(to_float(x))); } \
    CUSET_HOST_ARITHMETIC T2 h2##name(const T2 v) { return T2(h##name(v.x), h##name(v.y)); }

#define CUSET_HOST_NARROW_TO_INTEGER(T, prefix, to_float, mode)                                 \
    inline int prefix##int_##mode(const T x) { return __float2int_##mode(to_float(x)); }        \
    inline unsigned prefix##uint_##mode(const T x) { return __float2uint_##mode(to_float(x)); } \
    inline long long prefix##ll_##mode(const T x) { return __float2ll_##mode(to_float(x)); }    \
    inline unsigned long long prefix##ull_##mode(const T x) {                                   \
        return __float2ull_##mode(to_float(x));                                                 \
    }                                                                                           \
    inline short prefix##short_##mode(const T x) {                                              \
        return static_cast<short>(cuset_host::to_short(__float2int_##mode(to_float(x))));       \
    }                                                                                           \
    inline unsigned short prefix##ushort_##mode(const T x) {                                    \
        return static_cast<unsigned short>(                                                     \
            cuset_host::to_ushort(__float2uint_##mode(to_float(x))));                           \
    }

#define CUSET_HOST_NARROW_ATOMIC(T, T2, name)                                        \
    inline T name(T* const address, const T value, int line = __builtin_LINE()) {    \
        return cuset_host::atomic_replace(address, value, line,                      \
                                          [](T a, T b) { return __hadd(a, b); });    \
    }                                                                                \
    inline T2 name(T2* const address, const T2 value, int line = __builtin_LINE()) { \
        return cuset_host::atomic_replace(address, value, line,                      \
                                          [](T2 a, T2 b) { return __hadd2(a, b); }); \
    }

// fused(a, b, c) of three floats: a b + c, rounded once.
#define CUSET_HOST_NARROW(T, T2, to_float, from_float, fused, prefix)                    \
    CUSET_HOST_ARITHMETIC T __hfma(const T a, const T b, const T c) {                    \
        return fused(to_float(a), to_float(b), to_float(c));                             \
    }                                                                                    \
    CUSET_HOST_ARITHMETIC T __hfma_sat(const T a, const T b, const T c) {                \
        return from_float(__saturatef(to_float(__hfma(a, b, c))));                       \
    }                                                                                    \
    CUSET_HOST_ARITHMETIC T __hfma_relu(const T a, const T b, const T c) {               \
        const T sum = __hfma(a, b, c);                                                   \
        return to_float(sum) < 0.0f ? from_float(0.0f) : sum;                            \
    }                                                                                    \
    CUSET_HOST_ARITHMETIC T2 __hfma2(const T2 a, const T2 b, const T2 c) {               \
        return T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));                         \
    }                                                                                    \
    CUSET_HOST_ARITHMETIC T2 __hfma2_sat(const T2 a, const T2 b, const T2 c) {           \
        return T2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));                 \
    }                                                                                    \
    CUSET_HOST_ARITHMETIC T2 __hfma2_relu(const T2 a, const T2 b, const T2 c) {          \
        return T2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));               \
    }                                                                                    \
    /* Complex: x is the real part. */                                                   \
    CUSET_HOST_ARITHMETIC T2 __hcmadd(const T2 a, const T2 b, const T2 c) {              \
        const T real = __hfma(a.x, b.x, c.x), imaginary = __hfma(a.x, b.y, c.y);         \
        return T2(__hfma(__hneg(a.y), b.y, real), __hfma(a.y, b.x, imaginary));          \
    }                                                                                    \
    CUSET_HOST_NARROW_FUNCTION(T, T2, to_float, from_float, exp, ::expf)                 \
    CUSET_HOST_NARROW_FUNCTION(T, T2, to_float, from_float, exp2, ::exp2f)               \
    CUSET_HOST_NARROW_FUNCTION(T, T2, to_float, from_float, exp10, ::exp10f)             \
    CUSET_HOST_NARROW_FUNCTION(T, T2, to_float, from_float, log, ::logf)                 \
    CUSET_HOST_NARROW_FUNCTION(T, T2, to_float, from_float, log2, ::log2f)               \
    CUSET_HOST_NARROW_FUNCTION(T, T2, to_float, from_float, log10, ::log10f)             \
    CUSET_HOST_NARROW_FUNCTION(T, T2, to_float, from_float, sin, ::sinf)                 \
    CUSET_HOST_NARROW_FUNCTION(T, T2, to_float, from_float, cos, ::cosf)                 \
    CUSET_HOST_NARROW_FUNCTION(T, T2, to_float, from_float, tanh, ::tanhf)               \
    CUSET_HOST_NARROW_FUNCTION(T, T2, to_float, from_float, tanh_approx, ::tanhf)        \
    CUSET_HOST_NARROW_FUNCTION(T, T2, to_float, from_float, sqrt, ::sqrtf)               \
    CUSET_HOST_NARROW_FUNCTION(T, T2, to_float, from_float, rsqrt, ::rsqrtf)             \
    CUSET_HOST_NARROW_FUNCTION(T, T2, to_float, from_float, rcp, cuset_host::reciprocal) \
    CUSET_HOST_NARROW_FUNCTION(T, T2, to_float, from_float, ceil, ::ceilf)               \
    CUSET_HOST_NARROW_FUNCTION(T, T2, to_float, from_float, floor, ::floorf)             \
    CUSET_HOST_NARROW_FUNCTION(T, T2, to_float, from_float, trunc, ::truncf)             \
    CUSET_HOST_NARROW_FUNCTION(T, T2, to_float, from_float, rint, ::rintf)               \
    CUSET_HOST_NARROW_TO_INTEGER(T, prefix, to_float, rn)                                \
    CUSET_HOST_NARROW_TO_INTEGER(T, prefix, to_float, ru)                                \
    CUSET_HOST_NARROW_TO_INTEGER(T, prefix, to_float, rd)                                \
    CUSET_HOST_NARROW_ATOMIC(T, T2, atomicAdd)                                           \
    CUSET_HOST_LOADS(T)                                                                  \
    CUSET_HOST_LOADS(T2)
