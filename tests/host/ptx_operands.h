// What the programs of inline PTX share: integers by the names of PTX's types, and operands.
#pragma once

#include <cstdint>
#include <limits>

#include "check.h"

using u8 = std::uint8_t;
using s8 = std::int8_t;
using u16 = std::uint16_t;
using s16 = std::int16_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

/// Edges of the type, counts of bits, and others; each with each, and with a third one.
template <class T>
static std::vector<T> operands() {
    using limits = std::numeric_limits<T>;
    const u64 most = static_cast<u64>(limits::max()), least = static_cast<u64>(limits::min());
    const u64 bits[] = {0,
                        1,
                        2,
                        3,
                        7,
                        9,
                        15,
                        16,
                        31,
                        32,
                        33,
                        63,
                        64,
                        65,
                        200,
                        most,
                        least,
                        most - 1,
                        least + 1,
                        ~0ULL,
                        ~1ULL,
                        ~12ULL,
                        0x123456789abcdef0,
                        0x5555aaaa7fc00000};
    std::vector<T> edges;
    for (const u64 x : bits) edges.push_back(static_cast<T>(x));
    std::vector<T> in;
    for (std::size_t i = 0; i < edges.size() * edges.size(); ++i)
        for (const std::size_t k : {i % edges.size(), i / edges.size(), i * 7 / 5 % edges.size()})
            in.push_back(edges[k]);
    return in;
}
template <class T>
static void expect(const char* type, const char* what, T a, T b, T c, T got, T want) {
    if (!fails(got == want)) return;
    std::printf("%s.%s of %llx, %llx, %llx: %llx, must be %llx\n", what, type, (long long)a,
                (long long)b, (long long)c, (long long)got, (long long)want);
}
/// Launches `kernel`, and compares `each` results of all operands with those of `wanted`.
template <class T, class R, class F>
static void check(const char* type, void (*kernel)(const T*, R*), const char* const* what, int each,
                  F wanted) {
    const std::vector<T> values = operands<T>();
    const int cases = static_cast<int>(values.size() / 3);
    T* in = managed(values);
    R* out = managed<R>(cases * each);
    kernel<<<1, cases>>>(in, out);
    wait_for_device(type);
    for (int i = 0; i < cases; ++i) {
        const T* v = &values[3 * i];
        const std::vector<R> want = wanted(v[0], v[1], v[2]);
        for (int k = 0; k < each; ++k)
            expect(type, what[k], R(v[0]), R(v[1]), R(v[2]), out[i * each + k], want.at(k));
    }
    cudaFree(in), cudaFree(out);
}

template <class T>
static void expect(const char* what, const char* type, T a, T b, u64 got, u64 want) {
    if (!fails(got == want)) return;
    std::printf("%s of %s %.20Lg, %.20Lg: %llx, must be %llx\n", what, type, (long double)a,
                (long double)b, (unsigned long long)got, (unsigned long long)want);
}
/// Edges of the type: of floats also infinities, NaN, halves and what no integer holds.
template <class T>
static std::vector<T> edges() {
    using limits = std::numeric_limits<T>;
    std::vector<T> made;
    if constexpr (limits::is_integer) {
        for (const s64 x : {0LL, 1LL, 2LL, 100LL, -1LL, -128LL, -129LL, 0x123456789abcdef1LL})
            made.push_back(static_cast<T>(x));
        for (unsigned bit = 7; bit < 8 * sizeof(T); ++bit)
            for (const int beside : {-1, 0, 1})
                made.push_back(static_cast<T>((u64{1} << bit) + beside));
    } else {
        for (const double x : {0.5, 1.5, 2.5, 1.25, 0.75, 3.0, 1e30, 1e-40, 0.0})
            made.push_back(static_cast<T>(x));
        for (const T x : {limits::denorm_min(), limits::max(), limits::infinity()})
            made.push_back(x);
        for (const int bit : {7, 8, 15, 16, 24, 31, 32, 53, 63, 64}) {
            const T power = std::ldexp(T(1), bit);
            for (const T x :
                 {power, power - 1, power - T(1.5), power + 1, std::nextafter(power, T(0))})
                made.push_back(x);
        }
        for (std::size_t i = 0, n = made.size(); i < n; ++i) made.push_back(-made[i]);
        made.push_back(limits::quiet_NaN());
    }
    return made;
}
