// The instructions of inline PTX that compute: see instructions.h.
#pragma once

#include <cuset_host/math/bits.h>
#include <cuset_host/math/conversions.h>
#include <cuset_host/ptx/words.h>
#include <cuset_host/threads/execution.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace cuset_host::ptx {

// --- Arithmetic ----------------------------------------------------------------------------------

template <class T, bool = std::is_floating_point_v<T> || std::is_same_v<T, bool>>
struct whole_of {
    using type = std::make_unsigned_t<T>;
};
template <class T>
struct whole_of<T, true> {
    using type = T;
};
/// In which sums wrap around.
template <class T>
using whole = typename whole_of<T>::type;

#define CUSET_HOST_PTX_TWO(name, expression)                     \
    template <class T>                                           \
    inline word name(word first, word second) {                  \
        using U [[maybe_unused]] = whole<T>;                     \
        const T a = value_of<T>(first), b = value_of<T>(second); \
        return bits(static_cast<T>(expression));                 \
    }
CUSET_HOST_PTX_TWO(add, U(a) + U(b))
CUSET_HOST_PTX_TWO(sub, U(a) - U(b))
CUSET_HOST_PTX_TWO(mul_lo, std::uint64_t(a) * std::uint64_t(b))
CUSET_HOST_PTX_TWO(bit_and, a& b)
CUSET_HOST_PTX_TWO(bit_or, a | b)
CUSET_HOST_PTX_TWO(bit_xor, a ^ b)
#undef CUSET_HOST_PTX_TWO

inline float saturated_to_one(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
/// Integers of 32 bits end at their limits.
inline word saturated_to_int(long long x) {
    constexpr long long least = std::numeric_limits<int>::min(),
                        most = std::numeric_limits<int>::max();
    return bits(static_cast<int>(x < least ? least : x > most ? most : x));
}
/// A float's subnormal values as zeros of their sign (.ftz).
inline word flushed(word a) { return (a & 0x7f800000) == 0 ? a & 0x80000000 : low(a, 32); }
template <class T>
inline word add_sat(word a, word b) {
    if constexpr (std::is_integral_v<T>)
        return saturated_to_int(static_cast<long long>(value_of<T>(a)) + value_of<T>(b));
    else
        return bits(saturated_to_one(value_of<float>(a) + value_of<float>(b)));
}
template <class T>
inline word sub_sat(word a, word b) {
    if constexpr (std::is_integral_v<T>)
        return saturated_to_int(static_cast<long long>(value_of<T>(a)) - value_of<T>(b));
    else
        return bits(saturated_to_one(value_of<float>(a) - value_of<float>(b)));
}
template <class T>
inline word mul(word a, word b) {
    static_assert(std::is_floating_point_v<T>, "mul of integers has .lo, .hi or .wide");
    return bits(static_cast<T>(value_of<T>(a) * value_of<T>(b)));
}
template <class T>
inline word mul_sat(word a, word b) {
    return bits(saturated_to_one(value_of<float>(a) * value_of<float>(b)));
}
template <class T>
inline word fma(word a, word b, word c) {
    return bits(static_cast<T>(std::fma(value_of<T>(a), value_of<T>(b), value_of<T>(c))));
}
template <class T>
inline word fma_sat(word a, word b, word c) {
    return bits(
        saturated_to_one(std::fma(value_of<float>(a), value_of<float>(b), value_of<float>(c))));
}
/// By zero, all bits are set: PTX leaves it open, and this is what ptxas's code gives. The least
/// number by -1 overflows to itself.
template <class T>
inline word div(word first, word second) {
    const T a = value_of<T>(first), b = value_of<T>(second);
    if constexpr (!std::is_floating_point_v<T>) {
        if (b == 0) return bits(static_cast<T>(~T(0)));
        if (std::is_signed_v<T> && b == T(-1)) return bits(static_cast<T>(0 - whole<T>(a)));
    }
    return bits(static_cast<T>(a / b));
}
template <class T>
inline word rem(word first, word second) {
    const T a = value_of<T>(first), b = value_of<T>(second);
    if (b == 0) return bits(static_cast<T>(~T(0)));
    return bits(std::is_signed_v<T> && b == T(-1) ? T(0) : static_cast<T>(a % b));
}
/// The one that is a number, if the other is none. -0 is less than +0.
template <class T>
inline T lesser(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
    else
        return b < a ? b : a;
}
template <class T>
inline T greater(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
    else
        return a < b ? b : a;
}
template <class T>
inline word min(word a, word b) {
    return bits(lesser(value_of<T>(a), value_of<T>(b)));
}
template <class T>
inline word max(word a, word b) {
    return bits(greater(value_of<T>(a), value_of<T>(b)));
}
template <class T>
inline word abs(word first) {
    const T a = value_of<T>(first);
    if constexpr (std::is_floating_point_v<T>)
        return bits(static_cast<T>(std::fabs(a)));
    else
        return bits(static_cast<T>(a < 0 ? 0 - whole<T>(a) : whole<T>(a)));
}
template <class T>
inline word neg(word first) {
    if constexpr (std::is_floating_point_v<T>)
        return bits(static_cast<T>(-value_of<T>(first)));
    else
        return bits(static_cast<T>(0 - whole<T>(value_of<T>(first))));
}
/// Products of the low 24 bits.
template <class T>
inline word mul24_lo(word first, word second) {
    const auto part = [](word w) { return static_cast<std::int64_t>(value_of<T>(w << 8)) >> 8; };
    return low(static_cast<word>(part(first) * part(second)), 32);
}
template <class T>
inline word mad24_lo(word first, word second, word third) {
    return low(mul24_lo<T>(first, second) + third, 32);
}
template <class T>
inline word cnot(word first) {
    return bits(static_cast<T>(value_of<T>(first) == 0));
}

/// The type of twice the width.
template <class T>
struct twice;
template <>
struct twice<std::uint16_t> {
    using type = std::uint32_t;
};
template <>
struct twice<std::int16_t> {
    using type = std::int32_t;
};
template <>
struct twice<std::uint32_t> {
    using type = std::uint64_t;
};
template <>
struct twice<std::int32_t> {
    using type = std::int64_t;
};
template <>
struct twice<std::uint64_t> {
    using type = unsigned __int128;
};
template <>
struct twice<std::int64_t> {
    using type = __int128;
};
template <class T>
using twice_t = typename twice<T>::type;
template <class T>
inline word mul_hi(word a, word b) {
    return bits(
        static_cast<T>(twice_t<T>(value_of<T>(a)) * twice_t<T>(value_of<T>(b)) >> (8 * sizeof(T))));
}
template <class T>
inline word mul_wide(word a, word b) {
    return bits(static_cast<twice_t<T>>(twice_t<T>(value_of<T>(a)) * twice_t<T>(value_of<T>(b))));
}
template <class T>
inline word mad_lo(word a, word b, word c) {
    return add<T>(mul_lo<T>(a, b), c);
}
template <class T>
inline word mad_hi(word a, word b, word c) {
    return add<T>(mul_hi<T>(a, b), c);
}
template <class T>
inline word mad_hi_sat(word a, word b, word c) {
    return saturated_to_int(static_cast<long long>(value_of<T>(mul_hi<T>(a, b))) + value_of<T>(c));
}
template <class T>
inline word mad_wide(word a, word b, word c) {
    return add<twice_t<T>>(mul_wide<T>(a, b), c);
}
template <class T>
inline word sad(word first, word second, word c) {
    const T a = value_of<T>(first), b = value_of<T>(second);
    return add<T>(
        bits(static_cast<T>(a < b ? whole<T>(b) - whole<T>(a) : whole<T>(a) - whole<T>(b))), c);
}

// --- Carries: a thread's flag, for the instructions of one asm statement or of several -----------

inline thread_local bool carry = false;

template <class T>
inline word add_with(word a, word b, bool in) {
    const auto sum =
        twice_t<whole<T>>(value_of<whole<T>>(a)) + value_of<whole<T>>(b) + (in ? 1 : 0);
    carry = (sum >> (8 * sizeof(T))) != 0;
    return bits(static_cast<T>(sum));
}
template <class T>
inline word add_cc(word a, word b) {
    return add_with<T>(a, b, false);
}
template <class T>
inline word addc_cc(word a, word b) {
    return add_with<T>(a, b, carry);
}
template <class T>
inline word addc(word a, word b) {
    const bool before = carry;
    const word sum = add_with<T>(a, b, before);
    carry = before;
    return sum;
}
template <class T>
inline word sub_with(word a, word b, bool borrow) {
    const auto difference =
        twice_t<whole<T>>(value_of<whole<T>>(a)) - value_of<whole<T>>(b) - (borrow ? 1 : 0);
    carry = (difference >> (8 * sizeof(T)) & 1) != 0;
    return bits(static_cast<T>(difference));
}
template <class T>
inline word sub_cc(word a, word b) {
    return sub_with<T>(a, b, false);
}
template <class T>
inline word subc_cc(word a, word b) {
    return sub_with<T>(a, b, carry);
}
template <class T>
inline word subc(word a, word b) {
    const bool before = carry;
    const word difference = sub_with<T>(a, b, before);
    carry = before;
    return difference;
}
template <class T>
inline word mad_lo_cc(word a, word b, word c) {
    return add_cc<T>(mul_lo<T>(a, b), c);
}
template <class T>
inline word madc_lo_cc(word a, word b, word c) {
    return addc_cc<T>(mul_lo<T>(a, b), c);
}
template <class T>
inline word madc_lo(word a, word b, word c) {
    return addc<T>(mul_lo<T>(a, b), c);
}
template <class T>
inline word mad_hi_cc(word a, word b, word c) {
    return add_cc<T>(mul_hi<T>(a, b), c);
}
template <class T>
inline word madc_hi_cc(word a, word b, word c) {
    return addc_cc<T>(mul_hi<T>(a, b), c);
}
template <class T>
inline word madc_hi(word a, word b, word c) {
    return addc<T>(mul_hi<T>(a, b), c);
}

// --- Bits ----------------------------------------------------------------------------------------

template <class T>
inline word bit_not(word a) {
    if constexpr (std::is_same_v<T, bool>)
        return a == 0;
    else
        return bits(static_cast<T>(~value_of<T>(a)));
}
template <class T>
inline word shl(word a, word by) {
    const auto n = value_of<std::uint32_t>(by);
    return n >= 8 * sizeof(T) ? 0 : bits(static_cast<T>(whole<T>(value_of<T>(a)) << n));
}
template <class T>
inline word shr(word first, word by) {
    const T a = value_of<T>(first);
    const auto n = value_of<std::uint32_t>(by);
    if (n >= 8 * sizeof(T)) return bits(static_cast<T>(a < 0 ? ~T(0) : T(0)));
    return bits(static_cast<T>(a >> n));
}
template <class T>
inline word popc(word a) {
    return static_cast<word>(__builtin_popcountll(low(a, 8 * sizeof(T))));
}
template <class T>
inline word clz(word a) {
    const word v = low(a, 8 * sizeof(T));
    return v == 0 ? 8 * sizeof(T) : static_cast<word>(__builtin_clzll(v)) - 64 + 8 * sizeof(T);
}
template <class T>
inline word brev(word a) {
    word made = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i) made |= (a >> i & 1) << (8 * sizeof(T) - 1 - i);
    return made;
}
template <class T>
inline word bfe(word a, word position, word length) {
    constexpr unsigned width = 8 * sizeof(T);
    const unsigned p = position & 255, n = length & 255;
    const word v = low(a, width);
    const unsigned top = p + n > width ? width - 1 : p + n - 1;
    const bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
    const bool fills = is_signed && n != 0 && (v >> (top < width ? top : width - 1) & 1) != 0;
    word made = 0;
    for (unsigned i = 0; i < width; ++i) {
        const bool bit = i < n && p + i < width ? (v >> (p + i) & 1) != 0 : fills;
        made |= word{bit} << i;
    }
    return made;
}
template <class T>
inline word bfi(word from, word into, word position, word length) {
    constexpr unsigned width = 8 * sizeof(T);
    const unsigned p = position & 255, n = length & 255;
    word made = low(into, width);
    for (unsigned i = 0; i < n && p + i < width; ++i)
        made = (made & ~(word{1} << (p + i))) | (from >> i & 1) << (p + i);
    return made;
}
template <class T>
inline word bfind(word first) {
    word v = low(first, 8 * sizeof(T));
    if (value_of<T>(first) < T(0)) v = low(~v, 8 * sizeof(T));
    return v == 0 ? 0xffffffff : 63 - static_cast<word>(__builtin_clzll(v));
}
template <class T>
inline word prmt(word a, word b, word select) {
    const word both = low(b, 32) << 32 | low(a, 32);
    word made = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned nibble = select >> (4 * i) & 15;
        word byte = both >> (8 * (nibble & 7)) & 255;
        if ((nibble & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;  // its sign
        made |= byte << (8 * i);
    }
    return made;
}
template <class T>
inline word lop3(word a, word b, word c, word table) {
    word made = 0;
    for (unsigned i = 0; i < 32; ++i) {
        const unsigned index =
            static_cast<unsigned>((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1));
        made |= (table >> index & 1) << i;
    }
    return made;
}
template <class T>
inline word shf_l_wrap(word a, word b, word n) {
    return ::__funnelshift_l(value_of<std::uint32_t>(a), value_of<std::uint32_t>(b),
                             value_of<std::uint32_t>(n));
}
template <class T>
inline word shf_l_clamp(word a, word b, word n) {
    return ::__funnelshift_lc(value_of<std::uint32_t>(a), value_of<std::uint32_t>(b),
                              value_of<std::uint32_t>(n));
}
template <class T>
inline word shf_r_wrap(word a, word b, word n) {
    return ::__funnelshift_r(value_of<std::uint32_t>(a), value_of<std::uint32_t>(b),
                             value_of<std::uint32_t>(n));
}
template <class T>
inline word shf_r_clamp(word a, word b, word n) {
    return ::__funnelshift_rc(value_of<std::uint32_t>(a), value_of<std::uint32_t>(b),
                              value_of<std::uint32_t>(n));
}
template <class A, class B>
inline word dot_of_bytes(word a, word b, word c) {
    std::uint32_t sum = value_of<std::uint32_t>(c);
    for (int i = 0; i < 4; ++i)
        sum += static_cast<std::uint32_t>(static_cast<int>(value_of<A>(a >> (8 * i))) *
                                          static_cast<int>(value_of<B>(b >> (8 * i))));
    return sum;
}
#define CUSET_HOST_PTX_DP4A(name, A, B)              \
    template <class T>                               \
    inline word dp4a##name(word a, word b, word c) { \
        return dot_of_bytes<A, B>(a, b, c);          \
    }
CUSET_HOST_PTX_DP4A(u32u32, std::uint8_t, std::uint8_t)
CUSET_HOST_PTX_DP4A(u32s32, std::uint8_t, std::int8_t)
CUSET_HOST_PTX_DP4A(s32u32, std::int8_t, std::uint8_t)
CUSET_HOST_PTX_DP4A(s32s32, std::int8_t, std::int8_t)
#undef CUSET_HOST_PTX_DP4A

// --- Functions of floating point -----------------------------------------------------------------

#define CUSET_HOST_PTX_ONE(name, expression)                  \
    template <class T>                                        \
    inline word name(word a) {                                \
        const double x = static_cast<double>(value_of<T>(a)); \
        return bits(static_cast<T>(expression));              \
    }
CUSET_HOST_PTX_ONE(sqrt, std::sqrt(x))
CUSET_HOST_PTX_ONE(rsqrt, 1 / std::sqrt(x))
CUSET_HOST_PTX_ONE(rcp, 1 / x)
CUSET_HOST_PTX_ONE(ex2, std::exp2(x))
CUSET_HOST_PTX_ONE(lg2, std::log2(x))
CUSET_HOST_PTX_ONE(sin, std::sin(x))
CUSET_HOST_PTX_ONE(cos, std::cos(x))
CUSET_HOST_PTX_ONE(tanh, std::tanh(x))
#undef CUSET_HOST_PTX_ONE

/// From floating point to integers with a rounding to a whole number, else as C++ converts.
template <class To, class From, class Round>
inline word converted(word a, Round round) {
    const From x = value_of<From>(a);
    if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
        return extended(saturated<To>(round(x)));
    else if constexpr (std::is_floating_point_v<To> && std::is_floating_point_v<From>)
        return bits(static_cast<To>(round(x)));
    else
        return extended(static_cast<To>(x));
}
template <class To, class From>
inline word cvt(word a) {
    return converted<To, From>(a, [](From x) { return x; });
}
template <class To, class From>
inline word cvt_rni(word a) {
    return converted<To, From>(a, [](From x) { return std::rint(x); });
}
template <class To, class From>
inline word cvt_rzi(word a) {
    return converted<To, From>(a, [](From x) { return std::trunc(x); });
}
template <class To, class From>
inline word cvt_rmi(word a) {
    return converted<To, From>(a, [](From x) { return std::floor(x); });
}
template <class To, class From>
inline word cvt_rpi(word a) {
    return converted<To, From>(a, [](From x) { return std::ceil(x); });
}
template <class To, class From>
inline word cvt_sat(word a) {
    const From x = value_of<From>(a);
    if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
        using limits = std::numeric_limits<To>;
        const __int128 wide = x, least = limits::min(), most = limits::max();
        return extended(static_cast<To>(wide < least ? least : wide > most ? most : wide));
    } else {
        return bits(static_cast<To>(x > 0 ? (x < 1 ? x : From(1)) : From(0)));
    }
}

}  // namespace cuset_host::ptx
