// Half floats by their bits, and fused multiply-add of narrow floats with one rounding: where it
// takes two steps, the first keeps an odd last place if it is inexact, so that the second does not
// see a tie that is none.
#pragma once

#include <cuset_host/math/bits.h>
#include <cuset_host/math/rounding.h>

namespace cuset_host {

/// The value of a half with these bits, as cvt.f32.f16 gives it: each NaN becomes 0x7fffffff.
inline float half_value(unsigned short bits) {
    if ((bits & 0x7fffU) > 0x7c00U) return __uint_as_float(0x7fffffffU);
    return same_bits<_Float16>(bits);
}

/// The nearest half, even where two are, as cvt.rn.f16.f32 gives it: each NaN becomes 0x7fff.
inline unsigned short half_bits(float value) {
    return value != value ? 0x7fff : same_bits<unsigned short>(static_cast<_Float16>(value));
}

/// a b + c of three halves, in a form that gives the result of one rounding when it is rounded to a
/// half. The product is exact in float, so it does not matter whether g++ fuses it with the sum.
inline float half_fused_for_rounding(float a, float b, float c) {
    const float product = a * b, sum = product + c;
    const unsigned bits = __float_as_uint(sum);
    // Only a sum in the middle between two halves may be rounded otherwise. Where the middle lies
    // is not asked for results that are subnormal or nearly so.
    const unsigned magnitude = bits & 0x7fffffffU;
    if ((bits & 0x1fffU) != 0x1000U && magnitude >= 113U << 23) return sum;
    const float back = sum - product;
    const float lost = (product - (sum - back)) + (c - back);
    if (lost == 0.0F || lost != lost || (bits & 1U) != 0) return sum;
    return __uint_as_float((lost > 0.0F) == (sum > 0.0F) ? bits + 1 : bits - 1);
}

/// a b + c in a form that gives the result of one rounding when it is rounded to at most 50 bits:
/// inexact sums become odd in the last place. The product of two narrow numbers is exact in double.
inline double fused_for_rounding(double a, double b, double c) {
    const double p = opaque(a * b), s = opaque(p + c), back = opaque(s - p);
    const double lost = opaque(p - opaque(s - back)) + opaque(c - back);
    if (lost != lost || lost == 0.0) return s;
    const long long bits = __double_as_longlong(s);
    if ((bits & 1) != 0) return s;
    return __longlong_as_double((lost > 0.0) == (s > 0.0) ? bits + 1 : bits - 1);
}

/// The float next to x, odd in the last place where it is inexact.
inline float odd_in_float(double x) {
    const auto near = static_cast<float>(x);
    if (near == x || x != x || near - near != 0.0F) return near;
    const unsigned bits = __float_as_uint(near);
    if ((bits & 1U) != 0) return near;
    return __uint_as_float((x > near) == (bits >> 31 == 0) ? bits + 1 : bits - 1);
}

}  // namespace cuset_host
