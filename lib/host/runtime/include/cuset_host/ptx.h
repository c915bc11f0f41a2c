// The instructions of inline PTX, as the translator writes them (translate/inline_ptx.h). Every
// register is a word of 64 bits; an instruction reads its low bits as its type.
#pragma once

#include <cuset_host/atomics.h>
#include <cuset_host/bits.h>
#include <cuset_host/conversions.h>
#include <cuset_host/execution.h>
#include <cuset_host/memory_access.h>
#include <cuset_host/warp.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

/// Addresses in a block's shared memory count from its beginning.
inline std::size_t __cvta_generic_to_shared(const void* p) {
    return static_cast<std::size_t>(static_cast<const unsigned char*>(p) - cuset_host::shared_base);
}
inline void* __cvta_shared_to_generic(std::size_t p) { return cuset_host::shared_base + p; }
inline std::size_t __cvta_generic_to_global(const void* p) {
    return reinterpret_cast<std::size_t>(p);
}
inline void* __cvta_global_to_generic(std::size_t p) { return reinterpret_cast<void*>(p); }

namespace cuset_host::ptx {

using word = std::uint64_t;

template <class T>
inline T of(word bits) {
    if constexpr (std::is_same_v<T, bool>) {
        return bits != 0;
    } else {
        T value;
        __builtin_memcpy(&value, &bits, sizeof value);
        return value;
    }
}
template <class T>
inline word bits(T value) {
    word made = 0;
    __builtin_memcpy(&made, &value, sizeof value);
    return made;
}
inline word low(word value, int width) {
    return width == 64 ? value : value & ((word{1} << width) - 1);
}

/// The word of an operand with that constraint.
template <char Constraint, class T>
inline word taken(const T& value) {
    if constexpr (std::is_pointer_v<T> || std::is_array_v<T>) {
        return reinterpret_cast<word>(&*value);
    } else if constexpr (Constraint == 'f' && std::is_arithmetic_v<T>) {
        return bits(static_cast<float>(value));
    } else if constexpr (Constraint == 'd' && std::is_arithmetic_v<T>) {
        return bits(static_cast<double>(value));
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
        const word wide = static_cast<word>(static_cast<long long>(value));
        return Constraint == 'r' ? low(wide, 32) : Constraint == 'h' ? low(wide, 16) : wide;
    } else {
        return bits(value);
    }
}
template <class T>
inline void give(word value, T&& to) {
    using V = std::decay_t<T>;
    to = of<V>(value);
}

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

#define CUSET_HOST_PTX_TWO(name, expression)         \
    template <class T>                               \
    inline word name(word first, word second) {      \
        using U [[maybe_unused]] = whole<T>;         \
        const T a = of<T>(first), b = of<T>(second); \
        return bits(static_cast<T>(expression));     \
    }
CUSET_HOST_PTX_TWO(add, U(a) + U(b))
CUSET_HOST_PTX_TWO(sub, U(a) - U(b))
CUSET_HOST_PTX_TWO(mul_lo, std::uint64_t(a) * std::uint64_t(b))
CUSET_HOST_PTX_TWO(rem, b == 0 ? a : a % b)
CUSET_HOST_PTX_TWO(bit_and, a& b)
CUSET_HOST_PTX_TWO(bit_or, a | b)
CUSET_HOST_PTX_TWO(bit_xor, a ^ b)
#undef CUSET_HOST_PTX_TWO

inline float saturated_to_one(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
template <class T>
inline word add_sat(word a, word b) {
    return bits(saturated_to_one(of<float>(a) + of<float>(b)));
}
template <class T>
inline word mul(word a, word b) {
    static_assert(std::is_floating_point_v<T>, "mul of integers has .lo, .hi or .wide");
    return bits(static_cast<T>(of<T>(a) * of<T>(b)));
}
template <class T>
inline word mul_sat(word a, word b) {
    return bits(saturated_to_one(of<float>(a) * of<float>(b)));
}
template <class T>
inline word fma(word a, word b, word c) {
    return bits(static_cast<T>(std::fma(of<T>(a), of<T>(b), of<T>(c))));
}
template <class T>
inline word fma_sat(word a, word b, word c) {
    return bits(saturated_to_one(std::fma(of<float>(a), of<float>(b), of<float>(c))));
}
template <class T>
inline word div(word first, word second) {
    const T a = of<T>(first), b = of<T>(second);
    if constexpr (!std::is_floating_point_v<T>)
        if (b == 0) return bits(static_cast<T>(~T(0)));
    return bits(static_cast<T>(a / b));
}
template <class T>
inline word min(word first, word second) {
    const T a = of<T>(first), b = of<T>(second);
    if constexpr (std::is_floating_point_v<T>)
        return bits(static_cast<T>(std::fmin(a, b)));
    else
        return bits(b < a ? b : a);
}
template <class T>
inline word max(word first, word second) {
    const T a = of<T>(first), b = of<T>(second);
    if constexpr (std::is_floating_point_v<T>)
        return bits(static_cast<T>(std::fmax(a, b)));
    else
        return bits(a < b ? b : a);
}
template <class T>
inline word abs(word first) {
    const T a = of<T>(first);
    if constexpr (std::is_floating_point_v<T>)
        return bits(static_cast<T>(std::fabs(a)));
    else
        return bits(static_cast<T>(a < 0 ? 0 - whole<T>(a) : whole<T>(a)));
}
template <class T>
inline word neg(word first) {
    if constexpr (std::is_floating_point_v<T>)
        return bits(static_cast<T>(-of<T>(first)));
    else
        return bits(static_cast<T>(0 - whole<T>(of<T>(first))));
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
    return bits(static_cast<T>(twice_t<T>(of<T>(a)) * twice_t<T>(of<T>(b)) >> (8 * sizeof(T))));
}
template <class T>
inline word mul_wide(word a, word b) {
    return bits(static_cast<twice_t<T>>(twice_t<T>(of<T>(a)) * twice_t<T>(of<T>(b))));
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
inline word mad_wide(word a, word b, word c) {
    return add<twice_t<T>>(mul_wide<T>(a, b), c);
}
template <class T>
inline word sad(word first, word second, word c) {
    const T a = of<T>(first), b = of<T>(second);
    return add<T>(
        bits(static_cast<T>(a < b ? whole<T>(b) - whole<T>(a) : whole<T>(a) - whole<T>(b))), c);
}

// --- Carries: a thread's flag, for the instructions of one asm statement or of several -----------

inline thread_local bool carry = false;

template <class T>
inline word add_with(word a, word b, bool in) {
    const auto sum = twice_t<whole<T>>(of<whole<T>>(a)) + of<whole<T>>(b) + (in ? 1 : 0);
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
    const auto difference = twice_t<whole<T>>(of<whole<T>>(a)) - of<whole<T>>(b) - (borrow ? 1 : 0);
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
        return bits(static_cast<T>(~of<T>(a)));
}
template <class T>
inline word shl(word a, word by) {
    const auto n = of<std::uint32_t>(by);
    return n >= 8 * sizeof(T) ? 0 : bits(static_cast<T>(whole<T>(of<T>(a)) << n));
}
template <class T>
inline word shr(word first, word by) {
    const T a = of<T>(first);
    const auto n = of<std::uint32_t>(by);
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
    if (of<T>(first) < T(0)) v = low(~v, 8 * sizeof(T));
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
    return ::__funnelshift_l(of<std::uint32_t>(a), of<std::uint32_t>(b), of<std::uint32_t>(n));
}
template <class T>
inline word shf_l_clamp(word a, word b, word n) {
    return ::__funnelshift_lc(of<std::uint32_t>(a), of<std::uint32_t>(b), of<std::uint32_t>(n));
}
template <class T>
inline word shf_r_wrap(word a, word b, word n) {
    return ::__funnelshift_r(of<std::uint32_t>(a), of<std::uint32_t>(b), of<std::uint32_t>(n));
}
template <class T>
inline word shf_r_clamp(word a, word b, word n) {
    return ::__funnelshift_rc(of<std::uint32_t>(a), of<std::uint32_t>(b), of<std::uint32_t>(n));
}
template <class A, class B>
inline word dot_of_bytes(word a, word b, word c) {
    std::uint32_t sum = of<std::uint32_t>(c);
    for (int i = 0; i < 4; ++i)
        sum += static_cast<std::uint32_t>(static_cast<int>(of<A>(a >> (8 * i))) *
                                          static_cast<int>(of<B>(b >> (8 * i))));
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

// --- Comparing -----------------------------------------------------------------------------------

template <class T>
inline word selp(word a, word b, word p) {
    return p != 0 ? a : b;
}
#define CUSET_HOST_PTX_COMPARE(name, expression)            \
    template <class T>                                      \
    inline word setp_##name(word first, word second) {      \
        const T a = of<T>(first), b = of<T>(second);        \
        [[maybe_unused]] const bool nan = a != a || b != b; \
        return expression;                                  \
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

// --- Functions of floating point -----------------------------------------------------------------

#define CUSET_HOST_PTX_ONE(name, expression)            \
    template <class T>                                  \
    inline word name(word a) {                          \
        const double x = static_cast<double>(of<T>(a)); \
        return bits(static_cast<T>(expression));        \
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
    const From x = of<From>(a);
    if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
        return bits(saturated<To>(round(x)));
    else if constexpr (std::is_floating_point_v<To> && std::is_floating_point_v<From>)
        return bits(static_cast<To>(round(x)));
    else
        return bits(static_cast<To>(x));
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
    const From x = of<From>(a);
    if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
        using limits = std::numeric_limits<To>;
        const __int128 wide = x, least = limits::min(), most = limits::max();
        return bits(static_cast<To>(wide < least ? least : wide > most ? most : wide));
    } else {
        return bits(static_cast<To>(x > 0 ? (x < 1 ? x : From(1)) : From(0)));
    }
}

// --- Memory --------------------------------------------------------------------------------------

inline unsigned char* in_memory(word address, word offset) {
    return reinterpret_cast<unsigned char*>(address + offset);
}
inline unsigned char* in_shared(word address, word offset) {
    return shared_base + low(address + offset, 32);
}
inline word to_window(word generic) { return generic - reinterpret_cast<word>(shared_base); }
inline word from_window(word shared) { return shared + reinterpret_cast<word>(shared_base); }
template <class T>
inline word load(const unsigned char* at, int element) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    T value;
    __builtin_memcpy(&value, at + sizeof(T) * static_cast<unsigned>(element), sizeof value);
    // What is narrower than its register is extended.
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T> && sizeof(T) < 8)
        return low(static_cast<word>(static_cast<long long>(value)), 32);
    return bits(value);
}
template <class T>
inline void store(unsigned char* at, int element, word value) {
    const T stored = of<T>(value);
    __builtin_memcpy(at + sizeof(T) * static_cast<unsigned>(element), &stored, sizeof stored);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
inline void copy(unsigned char* to, const unsigned char* from, word bytes, word given) {
    const word taken = given < bytes ? given : bytes;
    __builtin_memcpy(to, from, taken);
    __builtin_memset(to + taken, 0, bytes - taken);
}

#define CUSET_HOST_PTX_ATOMIC(name, expression)                                                \
    template <class T>                                                                         \
    inline word atom_##name(unsigned char* at, word value, int line = __builtin_LINE()) {      \
        return bits(atomic_replace(reinterpret_cast<T*>(at), of<T>(value), line,               \
                                   [](T a, T b) -> T { return static_cast<T>(expression); })); \
    }
CUSET_HOST_PTX_ATOMIC(add, whole<T>(a) + whole<T>(b))
CUSET_HOST_PTX_ATOMIC(min, b < a ? b : a)
CUSET_HOST_PTX_ATOMIC(max, a < b ? b : a)
CUSET_HOST_PTX_ATOMIC(and, a& b)
CUSET_HOST_PTX_ATOMIC(or, a | b)
CUSET_HOST_PTX_ATOMIC(xor, a ^ b)
CUSET_HOST_PTX_ATOMIC(exch, b)
CUSET_HOST_PTX_ATOMIC(inc, a >= b ? 0 : a + 1)
CUSET_HOST_PTX_ATOMIC(dec, a == 0 || a > b ? b : a - 1)
#undef CUSET_HOST_PTX_ATOMIC
template <class T>
inline word atom_cas(unsigned char* at, word expected, word value, int line = __builtin_LINE()) {
    return bits(
        atomic_compare_and_swap(reinterpret_cast<T*>(at), of<T>(expected), of<T>(value), line));
}

// --- Warps and blocks ----------------------------------------------------------------------------

/// `clamp` holds the segment's mask in bits 8 to 12 and the last lane in bits 0 to 4.
template <class Source>
inline word shuffled(word a, word c, word mask, bool& is_in, Source source, const char* name,
                     int line) {
    const unsigned lane = lane_id(), clamp = c & 31, segment = c >> 8 & 31;
    const unsigned first = lane & segment, last = first | (clamp & ~segment);
    const warp_values values = warp_exchange(of<std::uint32_t>(mask), low(a, 32), name, line);
    const unsigned from = source(lane, first, last, segment, is_in);
    const unsigned read = is_in ? from : lane;
    return values[read & 31];
}
inline word shfl_idx(word a, word b, word c, word mask, bool& is_in, int line = __builtin_LINE()) {
    return shuffled(
        a, c, mask, is_in,
        [&](unsigned, unsigned first, unsigned last, unsigned segment, bool& in) {
            const unsigned from = first | (static_cast<unsigned>(b & 31) & ~segment);
            in = from <= last;
            return from;
        },
        "shfl.sync", line);
}
inline word shfl_up(word a, word b, word c, word mask, bool& is_in, int line = __builtin_LINE()) {
    return shuffled(
        a, c, mask, is_in,
        // Of up, the limit is the first lane.
        [&](unsigned lane, unsigned, unsigned last, unsigned, bool& in) {
            const int from = static_cast<int>(lane) - static_cast<int>(b & 31);
            in = from >= static_cast<int>(last);
            return static_cast<unsigned>(from);
        },
        "shfl.sync", line);
}
inline word shfl_down(word a, word b, word c, word mask, bool& is_in, int line = __builtin_LINE()) {
    return shuffled(
        a, c, mask, is_in,
        [&](unsigned lane, unsigned, unsigned last, unsigned, bool& in) {
            const unsigned from = lane + static_cast<unsigned>(b & 31);
            in = from <= last;
            return from;
        },
        "shfl.sync", line);
}
inline word shfl_bfly(word a, word b, word c, word mask, bool& is_in, int line = __builtin_LINE()) {
    return shuffled(
        a, c, mask, is_in,
        [&](unsigned lane, unsigned, unsigned last, unsigned, bool& in) {
            const unsigned from = lane ^ static_cast<unsigned>(b & 31);
            in = from <= last;
            return from;
        },
        "shfl.sync", line);
}
template <class T>
inline word vote_all(word p, word mask, int line = __builtin_LINE()) {
    return static_cast<word>(::__all_sync(of<std::uint32_t>(mask), p != 0, line) != 0);
}
template <class T>
inline word vote_any(word p, word mask, int line = __builtin_LINE()) {
    return static_cast<word>(::__any_sync(of<std::uint32_t>(mask), p != 0, line) != 0);
}
template <class T>
inline word vote_ballot(word p, word mask, int line = __builtin_LINE()) {
    return ::__ballot_sync(of<std::uint32_t>(mask), p != 0, line);
}
template <class T>
inline word match_any(word a, word mask, int line = __builtin_LINE()) {
    return ::__match_any_sync(of<std::uint32_t>(mask), of<std::make_unsigned_t<T>>(a), line);
}
template <class T>
inline word activemask(int line = __builtin_LINE()) {
    return converged_lanes(line);
}
#define CUSET_HOST_PTX_REDUX(name)                                                      \
    template <class T>                                                                  \
    inline word redux_##name(word a, word mask, int line = __builtin_LINE()) {          \
        return bits(::__reduce_##name##_sync(of<std::uint32_t>(mask), of<T>(a), line)); \
    }
CUSET_HOST_PTX_REDUX(add)
CUSET_HOST_PTX_REDUX(min)
CUSET_HOST_PTX_REDUX(max)
CUSET_HOST_PTX_REDUX(and)
CUSET_HOST_PTX_REDUX(or)
CUSET_HOST_PTX_REDUX(xor)
#undef CUSET_HOST_PTX_REDUX
inline void warp_barrier(word mask, int line = __builtin_LINE()) {
    warp_exchange(of<std::uint32_t>(mask), 0, "bar.warp.sync", line);
}
inline void barrier(word, int line = __builtin_LINE()) { block_barrier(0, "bar.sync", line); }
inline void cluster_wait(int line = __builtin_LINE()) { cluster_barrier(line); }
[[noreturn]] inline void trap() { ::cuset_host::trap(); }

#define CUSET_HOST_PTX_SPECIAL(name, expression) \
    inline word sreg_##name() { return static_cast<word>(expression); }
CUSET_HOST_PTX_SPECIAL(tid_x, threadIdx.x)
CUSET_HOST_PTX_SPECIAL(tid_y, threadIdx.y)
CUSET_HOST_PTX_SPECIAL(tid_z, threadIdx.z)
CUSET_HOST_PTX_SPECIAL(ntid_x, blockDim.x)
CUSET_HOST_PTX_SPECIAL(ntid_y, blockDim.y)
CUSET_HOST_PTX_SPECIAL(ntid_z, blockDim.z)
CUSET_HOST_PTX_SPECIAL(ctaid_x, blockIdx.x)
CUSET_HOST_PTX_SPECIAL(ctaid_y, blockIdx.y)
CUSET_HOST_PTX_SPECIAL(ctaid_z, blockIdx.z)
CUSET_HOST_PTX_SPECIAL(nctaid_x, gridDim.x)
CUSET_HOST_PTX_SPECIAL(nctaid_y, gridDim.y)
CUSET_HOST_PTX_SPECIAL(nctaid_z, gridDim.z)
CUSET_HOST_PTX_SPECIAL(laneid, lane_id())
CUSET_HOST_PTX_SPECIAL(warpid, linear_thread() / 32)
CUSET_HOST_PTX_SPECIAL(nwarpid, (block_threads() + 31) / 32)
CUSET_HOST_PTX_SPECIAL(smid, blockIdx.x % 132)
CUSET_HOST_PTX_SPECIAL(nsmid, 132)
CUSET_HOST_PTX_SPECIAL(clock, low(static_cast<word>(clock64()), 32))
CUSET_HOST_PTX_SPECIAL(clock_hi, static_cast<word>(clock64()) >> 32)
CUSET_HOST_PTX_SPECIAL(clock64, clock64())
CUSET_HOST_PTX_SPECIAL(globaltimer, clock64())
CUSET_HOST_PTX_SPECIAL(lanemask_eq, 1U << lane_id())
CUSET_HOST_PTX_SPECIAL(lanemask_lt, (1U << lane_id()) - 1)
CUSET_HOST_PTX_SPECIAL(lanemask_le, (2ULL << lane_id()) - 1)
CUSET_HOST_PTX_SPECIAL(lanemask_gt, 0xffffffffULL & ~((2ULL << lane_id()) - 1))
CUSET_HOST_PTX_SPECIAL(lanemask_ge, 0xffffffffULL & ~((1ULL << lane_id()) - 1))
CUSET_HOST_PTX_SPECIAL(cluster_ctaid_x, __clusterRelativeBlockIdx().x)
CUSET_HOST_PTX_SPECIAL(cluster_ctaid_y, __clusterRelativeBlockIdx().y)
CUSET_HOST_PTX_SPECIAL(cluster_ctaid_z, __clusterRelativeBlockIdx().z)
CUSET_HOST_PTX_SPECIAL(cluster_nctaid_x, __clusterDim().x)
CUSET_HOST_PTX_SPECIAL(cluster_nctaid_y, __clusterDim().y)
CUSET_HOST_PTX_SPECIAL(cluster_nctaid_z, __clusterDim().z)
CUSET_HOST_PTX_SPECIAL(clusterid_x, __clusterIdx().x)
CUSET_HOST_PTX_SPECIAL(clusterid_y, __clusterIdx().y)
CUSET_HOST_PTX_SPECIAL(clusterid_z, __clusterIdx().z)
CUSET_HOST_PTX_SPECIAL(nclusterid_x, __clusterGridDimInClusters().x)
CUSET_HOST_PTX_SPECIAL(nclusterid_y, __clusterGridDimInClusters().y)
CUSET_HOST_PTX_SPECIAL(nclusterid_z, __clusterGridDimInClusters().z)
CUSET_HOST_PTX_SPECIAL(cluster_ctarank, __clusterRelativeBlockRank())
CUSET_HOST_PTX_SPECIAL(cluster_nctarank, __clusterSizeInBlocks())
#undef CUSET_HOST_PTX_SPECIAL

}  // namespace cuset_host::ptx
