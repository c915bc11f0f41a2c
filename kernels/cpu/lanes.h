// Vectors of float in GCC's vector extension, as wide as the including file's instruction set
// (CUSET_LANES floats). Included by one translation unit for each instruction set, so everything
// here has internal linkage and nothing comes from the standard library: an inline function
// compiled for AVX-512 must never be the copy that the linker keeps for everyone.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace {

constexpr size_t lanes = CUSET_LANES;
typedef float floats __attribute__((vector_size(lanes * sizeof(float))));
typedef int32_t ints __attribute__((vector_size(lanes * sizeof(int32_t))));
typedef uint32_t uints __attribute__((vector_size(lanes * sizeof(uint32_t))));
typedef uint16_t shorts __attribute__((vector_size(lanes * sizeof(uint16_t))));

constexpr float infinity = __builtin_huge_valf();

inline floats load(const float* p) {
    floats v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

/// Loads `count` < lanes floats and fills the rest with `fill`.
inline floats load_some(const float* p, size_t count, float fill) {
    float buffer[lanes];
    for (size_t i = 0; i < lanes; ++i) buffer[i] = fill;
    __builtin_memcpy(buffer, p, count * sizeof(float));
    return load(buffer);
}

inline void store(floats v, float* p) { __builtin_memcpy(p, &v, sizeof v); }

inline void store_some(floats v, float* p, size_t count) {
    __builtin_memcpy(p, &v, count * sizeof(float));
}

/// Rounds to nearest even; NaN becomes the quiet NaN.
inline shorts to_bfloat16(floats v) {
    const uints bits = reinterpret_cast<uints>(v);
    const uints rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
    const ints is_nan = v != v;
    const uints chosen =
        reinterpret_cast<uints>((reinterpret_cast<ints>(rounded) & ~is_nan) | (is_nan & 0x7fc0));
    return __builtin_convertvector(chosen, shorts);
}

template <class Bits>
inline void store(floats v, Bits* p) {
    const shorts narrow = to_bfloat16(v);
    __builtin_memcpy(p, &narrow, sizeof narrow);
}

template <class Bits>
inline void store_some(floats v, Bits* p, size_t count) {
    const shorts narrow = to_bfloat16(v);
    __builtin_memcpy(p, &narrow, count * sizeof(uint16_t));
}

/// `Bits` is one of the 16-bit element types.
template <class Bits>
inline shorts load_shorts(const Bits* p) {
    shorts v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

/// Loads `count` < lanes elements; the rest is 0.
template <class Bits>
inline shorts load_some_shorts(const Bits* p, size_t count) {
    shorts v{};
    __builtin_memcpy(&v, p, count * sizeof(uint16_t));
    return v;
}

/// Loads 2 · lanes elements as words of two.
template <class Bits>
inline uints load_words(const Bits* p) {
    uints v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

inline floats from_bfloat16(shorts bits) {
    return reinterpret_cast<floats>(__builtin_convertvector(bits, uints) << 16);
}

/// Converts halves in the low bits: shifts exponent and fraction into a float's place and
/// multiplies by 2^112, which also normalises subnormals. Infinities and NaN keep an exponent of
/// ones.
inline floats from_float16(uints bits) {
    const uints magnitude = (bits & 0x7fffU) << 13;
    const floats scaled = reinterpret_cast<floats>(magnitude) * 0x1p112F;
    const ints special = (bits & 0x7c00U) == 0x7c00U;
    const uints value =
        reinterpret_cast<uints>((reinterpret_cast<ints>(scaled) & ~special) |
                                (reinterpret_cast<ints>(magnitude | 0x7f800000U) & special));
    return reinterpret_cast<floats>(value | ((bits & 0x8000U) << 16));
}

inline floats from_float16(shorts half) {
    return from_float16(__builtin_convertvector(half, uints));
}

/// x - 0 is x even for -0, so the compiler drops the subtraction; x + 0 is not.
inline floats spread(float x) { return x - floats{}; }

inline floats larger(floats a, floats b) { return a > b ? a : b; }

inline float sum_of(floats v) {
    float total = 0;
    for (size_t i = 0; i < lanes; ++i) total += v[i];
    return total;
}

/// Elements 0, 2, 4, … and 1, 3, 5, … of a and b as one sequence.
#if CUSET_LANES == 16
#define CUSET_EVERY_OTHER(a, b, i)                                                                \
    __builtin_shufflevector(a, b, (i), (i) + 2, (i) + 4, (i) + 6, (i) + 8, (i) + 10, (i) + 12,    \
                            (i) + 14, (i) + 16, (i) + 18, (i) + 20, (i) + 22, (i) + 24, (i) + 26, \
                            (i) + 28, (i) + 30)
#elif CUSET_LANES == 8
#define CUSET_EVERY_OTHER(a, b, i)                                                             \
    __builtin_shufflevector(a, b, (i), (i) + 2, (i) + 4, (i) + 6, (i) + 8, (i) + 10, (i) + 12, \
                            (i) + 14)
#else
#define CUSET_EVERY_OTHER(a, b, i) __builtin_shufflevector(a, b, (i), (i) + 2, (i) + 4, (i) + 6)
#endif
inline floats even_of(floats a, floats b) { return CUSET_EVERY_OTHER(a, b, 0); }
inline floats odd_of(floats a, floats b) { return CUSET_EVERY_OTHER(a, b, 1); }
#undef CUSET_EVERY_OTHER

/// The sum itself adds no rounding error.
inline double double_sum_of(floats v) {
    double total = 0;
    for (size_t i = 0; i < lanes; ++i) total += static_cast<double>(v[i]);
    return total;
}

inline float largest_of(floats v) {
    float result = v[0];
    for (size_t i = 1; i < lanes; ++i) result = v[i] > result ? v[i] : result;
    return result;
}

/// The largest of `count` floats; -inf for none. NaN compares false, so it is passed over.
inline float largest(const float* x, size_t count) {
    floats best = spread(-infinity);
    size_t i = 0;
    for (; i + lanes <= count; i += lanes) best = larger(load(x + i), best);
    if (i < count) best = larger(load_some(x + i, count - i, -infinity), best);
    return largest_of(best);
}

/// e^x for x ≤ 88, relative error below 2e-7; 0 for x < -87.3 (where e^x is subnormal) and -inf;
/// NaN for NaN. x = n·ln 2 + r with ln 2 in two parts (Cody and Waite), then the polynomial of
/// Cephes' expf for e^r.
inline floats exponential(floats x) {
    const ints underflow = x < -87.3F;
    // 1.5 · 2^23: adding it rounds to an integer in the low bits.
    const floats shifter = spread(12582912.0F);
    const floats n_shifted = x * 1.44269504088896341F + shifter;
    const floats n = n_shifted - shifter;
    const floats r = x - n * 0.693359375F + n * 2.12194440e-4F;
    floats p = spread(1.9875691500e-4F);
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * (r * r) + r + 1.0F;
    // The type is unsigned: lanes that underflow wrap, and are cleared.
    const uints power = (reinterpret_cast<uints>(n_shifted) - 0x4b400000U) << 23;
    const uints scaled = reinterpret_cast<uints>(p) + power;
    const floats value = reinterpret_cast<floats>(reinterpret_cast<ints>(scaled) & ~underflow);
    return x != x ? x : value;
}

}  // namespace
