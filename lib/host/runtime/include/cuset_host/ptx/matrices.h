// Inline PTX on narrow floating point and on matrices that a warp holds: cvt of half and brain
// floats, their sums and products, ldmatrix, stmatrix and mma.sync with the layouts that PTX's
// manual documents. Products are summed in float, in their order.
#pragma once

#include <cuset_host/math/narrow_floats.h>
#include <cuset_host/ptx/instructions.h>
#include <cuset_host/threads/local_memory.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace cuset_host::ptx {

/// The types by their bits: how a register's element becomes a number, and a number an element.
struct f16 {
    using number = float;
    static constexpr int width = 16;
    static float read(word w) { return half_value(static_cast<unsigned short>(w)); }
    static word write(float x) { return half_bits(x); }
};
struct bf16 {
    using number = float;
    static constexpr int width = 16;
    static float read(word w) { return value_of<float>(low(w, 16) << 16); }
    static word write(float x) {
        const auto all = static_cast<std::uint32_t>(bits(x));
        if (x != x) return 0x7fff;
        return (all + 0x7fff + (all >> 16 & 1)) >> 16;  // ties to even
    }
};
/// A float whose last 13 bits do not count.
struct tf32 {
    using number = float;
    static constexpr int width = 32;
    static float read(word w) { return value_of<float>(w & ~word{0x1fff}); }
};
struct f32 {
    using number = float;
    static constexpr int width = 32;
    static float read(word w) { return value_of<float>(w); }
    static word write(float x) { return bits(x); }
};
struct f64 {
    using number = double;
    static constexpr int width = 64;
    static double read(word w) { return value_of<double>(w); }
    static word write(double x) { return bits(x); }
};
struct s8 {
    using number = long long;
    static constexpr int width = 8;
    static long long read(word w) { return value_of<std::int8_t>(w); }
};
struct u8 {
    using number = long long;
    static constexpr int width = 8;
    static long long read(word w) { return value_of<std::uint8_t>(w); }
};
struct s32 {
    using number = long long;
    static constexpr int width = 32;
    static long long read(word w) { return value_of<std::int32_t>(w); }
    static word write(long long x) { return low(static_cast<word>(x), 32); }
};

/// A float of 8 bits with so many for its fraction. `Has_infinity`: as IEEE has it (e5m2); e4m3 has
/// a NaN of all ones alone, and its largest number is 448.
template <int Fraction, bool Has_infinity>
struct f8 {
    using number = float;
    static constexpr int width = 8;
    static constexpr int exponents = 7 - Fraction, bias = (1 << (exponents - 1)) - 1;
    static constexpr int least = 1 - bias;  // exponent of the smallest normal number
    static float read(word w) {
        const int fraction = static_cast<int>(w) & ((1 << Fraction) - 1);
        const int exponent = static_cast<int>(w >> Fraction) & ((1 << exponents) - 1);
        float value = exponent == 0 ? std::ldexp(static_cast<float>(fraction), least - Fraction)
                                    : std::ldexp(static_cast<float>(fraction + (1 << Fraction)),
                                                 exponent - bias - Fraction);
        if (Has_infinity && exponent == (1 << exponents) - 1)
            value = fraction == 0 ? INFINITY : NAN;
        if (!Has_infinity && (w & 0x7f) == 0x7f) value = NAN;
        return (w & 0x80) != 0 ? -value : value;
    }
    /// Ties to even; what is too large becomes the largest number (satfinite).
    static word write(float x) {
        constexpr word largest = Has_infinity ? 0x7b : 0x7e;
        const word sign = std::signbit(x) ? 0x80 : 0;
        if (x != x) return 0x7f;
        const float size = std::fabs(x);
        if (size >= read(largest)) return sign | largest;
        const int exponent = size == 0 ? least : std::max(std::ilogb(size), least);
        // The fraction with its leading one: rounding up may carry into the exponent.
        const auto units = static_cast<word>(
            std::nearbyint(std::ldexp(static_cast<double>(size), Fraction - exponent)));
        return sign | (units + (static_cast<word>(exponent - least) << Fraction));
    }
};
using e4m3 = f8<3, false>;
using e5m2 = f8<2, true>;

// --- Narrow numbers ------------------------------------------------------------------------------

/// cvt from float to one number, or to two of which the first operand becomes the upper one.
template <class T>
inline word narrowed(word a) {
    return T::write(value_of<float>(a));
}
template <class T>
inline word narrowed_two(word upper, word lower) {
    return low(T::write(value_of<float>(upper)), 16) << 16 |
           low(T::write(value_of<float>(lower)), 16);
}
/// cvt of floats or half floats to two floats of 8 bits, and of these to half floats.
template <class T>
inline word narrowed_bytes(word upper, word lower) {
    return T::write(value_of<float>(upper)) << 8 | T::write(value_of<float>(lower));
}
template <class T>
inline word narrowed_halves(word a) {
    return T::write(f16::read(low(a >> 16, 16))) << 8 | T::write(f16::read(low(a, 16)));
}
template <class T>
inline word widened_bytes(word a) {
    return f16::write(T::read(low(a >> 8, 8))) << 16 | f16::write(T::read(low(a, 8)));
}
template <class T>
inline word widened(word a) {
    return bits(T::read(a));
}
/// Rounds to nearest, ties away from zero.
inline word to_tf32(word a) {
    const word w = low(a, 32);
    return (w & 0x7f800000) == 0x7f800000 ? w : (w + 0x1000) & ~word{0x1fff};
}

/// The function of each of a register's elements, rounded to float and then to the element, which
/// gives what one rounding gives for all of these but fused multiply-add.
template <class T, int Lanes, class F>
inline word in_each(const F& f) {
    word made = 0;
    for (int i = 0; i < Lanes; ++i)
        made |= low(T::write(static_cast<float>(f(16 * i))), 16) << (16 * i);
    return made;
}
#define CUSET_HOST_PTX_NARROW(name, parameters, expression)                            \
    template <class T, int Lanes>                                                      \
    inline word narrow_##name parameters {                                             \
        return in_each<T, Lanes>([&](int at) {                                         \
            const auto v = [at](word w) { return double{T::read(low(w >> at, 16))}; }; \
            return expression;                                                         \
        });                                                                            \
    }
CUSET_HOST_PTX_NARROW(add, (word a, word b), v(a) + v(b))
CUSET_HOST_PTX_NARROW(sub, (word a, word b), v(a) - v(b))
CUSET_HOST_PTX_NARROW(mul, (word a, word b), v(a) * v(b))
CUSET_HOST_PTX_NARROW(fma, (word a, word b, word c),
                      odd_in_float(fused_for_rounding(v(a), v(b), v(c))))
CUSET_HOST_PTX_NARROW(min, (word a, word b), lesser(v(a), v(b)))
CUSET_HOST_PTX_NARROW(max, (word a, word b), greater(v(a), v(b)))
CUSET_HOST_PTX_NARROW(abs, (word a), std::fabs(v(a)))
CUSET_HOST_PTX_NARROW(neg, (word a), -v(a))
CUSET_HOST_PTX_NARROW(ex2, (word a), std::exp2(v(a)))
CUSET_HOST_PTX_NARROW(tanh, (word a), std::tanh(v(a)))
#undef CUSET_HOST_PTX_NARROW

// --- Matrices of a warp --------------------------------------------------------------------------

/// Loads Count matrices of 8 x 8 elements of 16 bits. Lane 8 i + r gives the address of row r of
/// matrix i; each lane receives two neighbours of a row, or of a column with Transposed.
template <int Count, bool Transposed>
inline void load_matrices(word* to, const unsigned char* row, int line = __builtin_LINE()) {
    const warp_values rows =
        warp_exchange(~0U, reinterpret_cast<std::uintptr_t>(row), "ldmatrix.sync", line);
    const unsigned lane = lane_id(), major = lane / 4, minor = 2 * (lane % 4);
    const auto element = [&](unsigned matrix, unsigned r, unsigned c) {
        std::uint16_t value;
        std::memcpy(&value,
                    reinterpret_cast<const unsigned char*>(
                        static_cast<std::uintptr_t>(rows[8 * matrix + r])) +
                        2 * c,
                    sizeof value);
        return word{value};
    };
    for (unsigned m = 0; m < Count; ++m)
        to[m] = Transposed ? element(m, minor + 1, major) << 16 | element(m, minor, major)
                           : element(m, major, minor + 1) << 16 | element(m, major, minor);
    // The warp may overwrite what it has loaded.
    warp_exchange(~0U, 0, "ldmatrix.sync", line);
}

template <int Count, bool Transposed>
inline void store_matrices(unsigned char* row, const word* from, int line = __builtin_LINE()) {
    const warp_values rows =
        warp_exchange(~0U, reinterpret_cast<std::uintptr_t>(row), "stmatrix.sync", line);
    const unsigned lane = lane_id(), major = lane / 4, minor = 2 * (lane % 4);
    for (unsigned m = 0; m < Count; ++m) {
        for (unsigned k = 0; k < 2; ++k) {
            const unsigned r = Transposed ? minor + k : major, c = Transposed ? major : minor + k;
            const auto value = static_cast<std::uint16_t>(from[m] >> (16 * k));
            std::memcpy(
                reinterpret_cast<unsigned char*>(static_cast<std::uintptr_t>(rows[8 * m + r])) +
                    2 * c,
                &value, sizeof value);
        }
    }
    wait_for_warp("stmatrix.sync", line);
}

/// The lane's registers of a product, to be read by the whole warp.
struct factors {
    const word *a, *b;
};

/// D = A B + C for matrices of M x K, K x 8 and M x 8. Of a register's elements, those of A lie in
/// a row and those of B in a column, each lane having as many neighbours as a register holds; a
/// second register of A belongs to eight rows below, the next ones to the columns behind.
template <int M, int K, class D, class A, class B, class C, bool Saturates = false>
inline void multiply(word* d, const word* a, const word* b, const word* c,
                     int line = __builtin_LINE()) {
    constexpr int packed_a = A::width >= 32 ? 1 : 32 / A::width;
    constexpr int packed_c = C::width == 16 ? 2 : 1, packed_d = D::width == 16 ? 2 : 1;
    constexpr int halves = M / 8;        // of A's rows, eight each
    constexpr int reach = 4 * packed_a;  // of A's columns in one register of a row's four lanes
    using number = typename D::number;
    const factors mine{a, b};
    const warp_values all =
        warp_exchange(~0U, reinterpret_cast<std::uintptr_t>(&mine), "mma.sync", line);
    const int lane = static_cast<int>(lane_id()), group = lane / 4, within = lane % 4;
    const auto of_lane = [&](int at) -> const factors& {
        return *reinterpret_cast<const factors*>(
            static_cast<std::uintptr_t>(all[static_cast<unsigned>(at)]));
    };
    word made[2 * M / 8] = {};
    for (int j = 0; j < 2 * halves; ++j) {
        [[maybe_unused]] const work_for_warp of_all;
        const int half = j / 2, column = 2 * within + j % 2;
        number sum = static_cast<number>(
            C::read(packed_c == 2 ? low(c[j / 2] >> (16 * (j % 2)), 16) : c[j]));
        for (int k = 0; k < K; ++k) {
            const int owner = k % reach / packed_a, shift = A::width * (k % packed_a);
            const word left = of_lane(4 * group + owner).a[k / reach * halves + half];
            const word right = of_lane(4 * column + owner).b[k / reach];
            const auto element = [shift](word w) {
                return A::width >= 32 ? w : low(w >> shift, A::width);
            };
            sum += static_cast<number>(A::read(element(left))) *
                   static_cast<number>(B::read(element(right)));
        }
        if constexpr (Saturates) {
            constexpr long long least = -2147483648LL, most = 2147483647LL;
            sum = static_cast<number>(std::clamp(static_cast<long long>(sum), least, most));
        }
        made[j / packed_d] |= low(D::write(sum), packed_d == 2 ? 16 : 64)
                              << (packed_d == 2 ? 16 * (j % 2) : 0);
    }
    warp_exchange(~0U, 0, "mma.sync", line);
    for (int j = 0; j < 2 * halves / packed_d; ++j) d[j] = made[j];
}

}  // namespace cuset_host::ptx
