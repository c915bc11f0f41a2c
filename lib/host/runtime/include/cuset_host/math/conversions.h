// CUDA's conversions between integers and floating point, with their rounding ("Type Casting
// Intrinsics"). To an integer they saturate; NaN becomes 0 from float to 32 bits, else the word
// whose top bit alone is set (cvt's rules in the PTX manual).
#pragma once

#include <cuset_host/math/bits.h>
#include <cuset_host/math/rounding.h>

namespace cuset_host {

template <class T, class F>
inline T saturated(F whole) {
    constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
    constexpr int bits = 8 * sizeof(T);
    // The first value too large, and the smallest: both are powers of two (or 0), and exact.
    constexpr F end = static_cast<F>(static_cast<T>(1) << (bits - 2)) * (is_signed ? 2 : 4);
    constexpr T lowest = is_signed ? static_cast<T>(1ull << (bits - 1)) : T(0);
    if (whole != whole)
        return bits == 64 || sizeof(F) == 8 ? static_cast<T>(1ull << (bits - 1)) : T(0);
    if (whole >= end) return static_cast<T>(~lowest);
    if (whole <= static_cast<F>(lowest)) return lowest;
    return static_cast<T>(whole);
}

}  // namespace cuset_host

#define CUSET_HOST_TO_INTEGER(type, name, from, suffix)                 \
    inline type name##_rn(from x) {                                     \
        return cuset_host::saturated<type>(__builtin_rint##suffix(x));  \
    }                                                                   \
    inline type name##_rz(from x) {                                     \
        return cuset_host::saturated<type>(__builtin_trunc##suffix(x)); \
    }                                                                   \
    inline type name##_ru(from x) {                                     \
        return cuset_host::saturated<type>(__builtin_ceil##suffix(x));  \
    }                                                                   \
    inline type name##_rd(from x) {                                     \
        return cuset_host::saturated<type>(__builtin_floor##suffix(x)); \
    }

CUSET_HOST_TO_INTEGER(int, __float2int, float, f)
CUSET_HOST_TO_INTEGER(unsigned, __float2uint, float, f)
CUSET_HOST_TO_INTEGER(long long, __float2ll, float, f)
CUSET_HOST_TO_INTEGER(unsigned long long, __float2ull, float, f)
CUSET_HOST_TO_INTEGER(int, __double2int, double, )
CUSET_HOST_TO_INTEGER(unsigned, __double2uint, double, )
CUSET_HOST_TO_INTEGER(long long, __double2ll, double, )
CUSET_HOST_TO_INTEGER(unsigned long long, __double2ull, double, )

#define CUSET_HOST_HIDE_INTEGER asm volatile("" : "+r"(x))
CUSET_HOST_ROUNDED(float, __int2float, (int x), CUSET_HOST_HIDE_INTEGER, static_cast<float>(x))
CUSET_HOST_ROUNDED(float, __uint2float, (unsigned x), CUSET_HOST_HIDE_INTEGER,
                   static_cast<float>(x))
CUSET_HOST_ROUNDED(float, __ll2float, (long long x), CUSET_HOST_HIDE_INTEGER, static_cast<float>(x))
CUSET_HOST_ROUNDED(float, __ull2float, (unsigned long long x), CUSET_HOST_HIDE_INTEGER,
                   static_cast<float>(x))
CUSET_HOST_ROUNDED(double, __ll2double, (long long x), CUSET_HOST_HIDE_INTEGER,
                   static_cast<double>(x))
CUSET_HOST_ROUNDED(double, __ull2double, (unsigned long long x), CUSET_HOST_HIDE_INTEGER,
                   static_cast<double>(x))
CUSET_HOST_ROUNDED(float, __double2float, (double x), CUSET_HOST_HIDE_X, static_cast<float>(x))
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
