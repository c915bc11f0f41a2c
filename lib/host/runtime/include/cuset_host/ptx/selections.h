// Inline PTX: instructions that compare, choose, test and find, as the ISA's manual gives them.
#pragma once

#include <cuset_host/ptx/words.h>
#include <cuset_host/threads/warp.h>

#include <cstdint>

namespace cuset_host::ptx {

template <class T>
inline word selp(word a, word b, word p) {
    return p != 0 ? a : b;
}
#define CUSET_HOST_PTX_COMPARE(name, expression)                 \
    template <class T>                                           \
    inline word setp_##name(word first, word second) {           \
        const T a = value_of<T>(first), b = value_of<T>(second); \
        [[maybe_unused]] const bool nan = a != a || b != b;      \
        return expression;                                       \
    }
CUSET_HOST_PTX_COMPARE(eq, a == b)
CUSET_HOST_PTX_COMPARE(ne, a != b && !nan)
CUSET_HOST_PTX_COMPARE(lt, a < b)
CUSET_HOST_PTX_COMPARE(le, a <= b)
CUSET_HOST_PTX_COMPARE(gt, a > b)
CUSET_HOST_PTX_COMPARE(ge, a >= b)
CUSET_HOST_PTX_COMPARE(lo, a < b)
CUSET_HOST_PTX_COMPARE(ls, a <= b)
CUSET_HOST_PTX_COMPARE(hi, a > b)
CUSET_HOST_PTX_COMPARE(hs, a >= b)
CUSET_HOST_PTX_COMPARE(equ, a == b || nan)
CUSET_HOST_PTX_COMPARE(neu, a != b)
CUSET_HOST_PTX_COMPARE(ltu, a < b || nan)
CUSET_HOST_PTX_COMPARE(leu, a <= b || nan)
CUSET_HOST_PTX_COMPARE(gtu, a > b || nan)
CUSET_HOST_PTX_COMPARE(geu, a >= b || nan)
CUSET_HOST_PTX_COMPARE(num, !nan)
CUSET_HOST_PTX_COMPARE(nan, nan)
#undef CUSET_HOST_PTX_COMPARE
/// T: of the selector.
template <class T>
inline word slct(word a, word b, word c) {
    return value_of<T>(c) >= T(0) ? a : b;
}
/// The place of the offset'th bit that is set, up or down from `base`.
template <class T>
inline word fns(word mask, word base, word offset) {
    const auto wanted = value_of<std::int32_t>(offset);
    const auto begin = static_cast<int>(value_of<std::uint32_t>(base));
    if (wanted == 0)
        return begin >= 0 && begin < 32 && (mask >> begin & 1) != 0 ? low(base, 32) : 0xffffffff;
    const int step = wanted > 0 ? 1 : -1;
    std::int64_t left = wanted > 0 ? wanted : -std::int64_t{wanted};
    for (int at = begin; at >= 0 && at < 32; at += step)
        if ((mask >> at & 1) != 0 && --left == 0) return static_cast<word>(at);
    return 0xffffffff;
}
inline word mask_of_bits(word begin, word width, bool clamps) {
    const unsigned a = value_of<std::uint32_t>(begin), b = value_of<std::uint32_t>(width);
    const unsigned from = a & 31, to = from + (b & 31);
    const bool begins_outside = clamps && a >= 32, is_too_wide = clamps && b >= 32;
    const std::uint32_t first = begins_outside ? 0 : ~std::uint32_t{0} << from;
    const bool has_end = to < 32 && !begins_outside && !is_too_wide;
    return first & ~(has_end ? ~std::uint32_t{0} << to : 0);
}
template <class T>
inline word bmsk_clamp(word begin, word width) {
    return mask_of_bits(begin, width, true);
}
template <class T>
inline word bmsk_wrap(word begin, word width) {
    return mask_of_bits(begin, width, false);
}
/// The low `width` bits of a, with their sign if T has one.
template <class T>
inline word extended(word a, word width, bool clamps) {
    const unsigned n = value_of<std::uint32_t>(width), bits = n & 31;
    const bool is_too_wide = clamps && n >= 32;
    const std::uint32_t mask = is_too_wide ? 0 : ~std::uint32_t{0} << bits;
    const bool is_negative =
        std::is_signed_v<T> && bits != 0 && !is_too_wide && (a >> (bits - 1) & 1) != 0;
    return (value_of<std::uint32_t>(a) & ~mask) | (is_negative ? mask : 0);
}
template <class T>
inline word szext_clamp(word a, word width) {
    return extended<T>(a, width, true);
}
template <class T>
inline word szext_wrap(word a, word width) {
    return extended<T>(a, width, false);
}
/// The size of b with the sign of a.
template <class T>
inline word copysign(word a, word b) {
    return bits(__builtin_copysign(value_of<T>(b), value_of<T>(a)));
}
template <>
inline word copysign<float>(word a, word b) {
    return bits(__builtin_copysignf(value_of<float>(b), value_of<float>(a)));
}

#define CUSET_HOST_PTX_TEST(name, expression) \
    template <class T>                        \
    inline word testp_##name(word a) {        \
        const T x = value_of<T>(a);           \
        return expression;                    \
    }
CUSET_HOST_PTX_TEST(finite, __builtin_isfinite(x))
CUSET_HOST_PTX_TEST(infinite, __builtin_isinf(x) != 0)
CUSET_HOST_PTX_TEST(number, x == x)
CUSET_HOST_PTX_TEST(notanumber, x != x)
CUSET_HOST_PTX_TEST(normal, __builtin_isnormal(x))
CUSET_HOST_PTX_TEST(subnormal, x != 0 && __builtin_isfinite(x) && !__builtin_isnormal(x))
#undef CUSET_HOST_PTX_TEST

/// Two products of 16 bits and a byte, of b's low or high half.
template <class A, class B>
inline word dot_of_halves(word a, word b, word c, int first) {
    std::uint32_t sum = value_of<std::uint32_t>(c);
    for (int i = 0; i < 2; ++i)
        sum += static_cast<std::uint32_t>(static_cast<int>(value_of<A>(a >> (16 * i))) *
                                          static_cast<int>(value_of<B>(b >> (8 * (first + i)))));
    return sum;
}
#define CUSET_HOST_PTX_DP2A(name, A, B)                 \
    template <class T>                                  \
    inline word dp2a_lo##name(word a, word b, word c) { \
        return dot_of_halves<A, B>(a, b, c, 0);         \
    }                                                   \
    template <class T>                                  \
    inline word dp2a_hi##name(word a, word b, word c) { \
        return dot_of_halves<A, B>(a, b, c, 2);         \
    }
CUSET_HOST_PTX_DP2A(u32u32, std::uint16_t, std::uint8_t)
CUSET_HOST_PTX_DP2A(u32s32, std::uint16_t, std::int8_t)
CUSET_HOST_PTX_DP2A(s32u32, std::int16_t, std::uint8_t)
CUSET_HOST_PTX_DP2A(s32s32, std::int16_t, std::int8_t)
#undef CUSET_HOST_PTX_DP2A

/// The mask where all lanes give the same value, else 0.
template <class T>
inline word match_all(word a, word mask, bool& all, int line = __builtin_LINE()) {
    int same = 0;
    const unsigned lanes = ::__match_all_sync(value_of<std::uint32_t>(mask),
                                              value_of<std::make_unsigned_t<T>>(a), &same, line);
    all = same != 0;
    return lanes;
}

}  // namespace cuset_host::ptx
