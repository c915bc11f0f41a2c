// CUDA's integer intrinsics: bits, bytes, high halves of products, and the same bits as another
// type. Names and results are those of the CUDA Math API ("Integer Intrinsics", "Type Casting
// Intrinsics").
#pragma once

#include <cuset_host/cuda_types.h>

namespace cuset_host {

template <class To, class From>
inline To same_bits(From value) {
    static_assert(sizeof(To) == sizeof(From), "two types of one size");
    To result;
    __builtin_memcpy(&result, &value, sizeof(To));
    return result;
}

}  // namespace cuset_host

inline int __float_as_int(float x) { return cuset_host::same_bits<int>(x); }
inline unsigned __float_as_uint(float x) { return cuset_host::same_bits<unsigned>(x); }
inline float __int_as_float(int x) { return cuset_host::same_bits<float>(x); }
inline float __uint_as_float(unsigned x) { return cuset_host::same_bits<float>(x); }
inline long long __double_as_longlong(double x) { return cuset_host::same_bits<long long>(x); }
inline double __longlong_as_double(long long x) { return cuset_host::same_bits<double>(x); }
inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
    return __longlong_as_double(
        static_cast<long long>(static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 |
                               static_cast<unsigned>(low)));
}

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) {
    return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }

inline unsigned __brev(unsigned x) {
    x = __builtin_bswap32(x);
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    return (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
}
inline unsigned long long __brevll(unsigned long long x) {
    return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
           __brev(static_cast<unsigned>(x >> 32));
}
inline unsigned short __nv_bswap16(unsigned short x) { return __builtin_bswap16(x); }
inline unsigned __nv_bswap32(unsigned x) { return __builtin_bswap32(x); }
inline unsigned long long __nv_bswap64(unsigned long long x) { return __builtin_bswap64(x); }

/// Byte i of the result is byte s[4i+2:4i] of the eight bytes y:x; no sign mode, unlike PTX's prmt.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
    const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned which = s >> (4 * i) & 7;
        result |= static_cast<unsigned>(bytes >> (8 * which) & 0xff) << (8 * i);
    }
    return result;
}

inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
    return static_cast<unsigned>(both << (shift & 31) >> 32);
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
    return static_cast<unsigned>(both >> (shift & 31));
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

/// The position of the offset-th set bit from bit `base` on, upwards or (offset < 0) downwards.
inline unsigned __fns(unsigned mask, unsigned base, int offset) {
    if (base > 31) return 0xffffffffu;
    if (offset == 0) return (mask >> base & 1) != 0 ? base : 0xffffffffu;
    const int step = offset > 0 ? 1 : -1;
    unsigned left = offset > 0 ? static_cast<unsigned>(offset) : 0u - static_cast<unsigned>(offset);
    for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step)
        if ((mask >> at & 1) != 0 && --left == 0) return static_cast<unsigned>(at);
    return 0xffffffffu;
}

inline int __mulhi(int x, int y) { return static_cast<int>(static_cast<long long>(x) * y >> 32); }
inline unsigned __umulhi(unsigned x, unsigned y) {
    return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
inline long long __mul64hi(long long x, long long y) {
    return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffffu) * (y & 0xffffffu); }
inline int __mul24(int x, int y) {
    const int a = static_cast<int>(static_cast<unsigned>(x) << 8) >> 8;
    const int b = static_cast<int>(static_cast<unsigned>(y) << 8) >> 8;
    return static_cast<int>(static_cast<unsigned>(a) * static_cast<unsigned>(b));
}

inline unsigned __sad(int x, int y, unsigned z) {
    const unsigned a = static_cast<unsigned>(x), b = static_cast<unsigned>(y);
    return z + (x > y ? a - b : b - a);
}
inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x > y ? x - y : y - x); }
inline int __hadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y) >> 1); }
inline int __rhadd(int x, int y) {
    return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1);
}
inline unsigned __uhadd(unsigned x, unsigned y) {
    return static_cast<unsigned>((static_cast<unsigned long long>(x) + y) >> 1);
}
inline unsigned __urhadd(unsigned x, unsigned y) {
    return static_cast<unsigned>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}

namespace cuset_host {

/// The sum of c and the products of n lanes of a and b, modulo 2^32.
template <class A, class B>
inline unsigned dot(unsigned a, unsigned b, unsigned c, int n) {
    for (int i = 0; i < n; ++i) {
        c += static_cast<unsigned>(static_cast<A>(a >> (8 * sizeof(A) * i))) *
             static_cast<unsigned>(static_cast<B>(b >> (8 * sizeof(B) * i)));
    }
    return c;
}

}  // namespace cuset_host

inline int __dp4a(int a, int b, int c) {
    return static_cast<int>(cuset_host::dot<signed char, signed char>(
        static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(c), 4));
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    return cuset_host::dot<unsigned char, unsigned char>(a, b, c, 4);
}
inline int __dp4a(char4 a, char4 b, int c) {
    return __dp4a(cuset_host::same_bits<int>(a), cuset_host::same_bits<int>(b), c);
}
inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
    return __dp4a(cuset_host::same_bits<unsigned>(a), cuset_host::same_bits<unsigned>(b), c);
}
inline int __dp2a_lo(int a, int b, int c) {
    return static_cast<int>(cuset_host::dot<short, signed char>(
        static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(c), 2));
}
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
    return cuset_host::dot<unsigned short, unsigned char>(a, b, c, 2);
}
inline int __dp2a_hi(int a, int b, int c) {
    return static_cast<int>(cuset_host::dot<short, signed char>(
        static_cast<unsigned>(a), static_cast<unsigned>(b) >> 16, static_cast<unsigned>(c), 2));
}
inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) {
    return cuset_host::dot<unsigned short, unsigned char>(a, b >> 16, c, 2);
}
inline int __dp2a_lo(short2 a, char4 b, int c) {
    return __dp2a_lo(cuset_host::same_bits<int>(a), cuset_host::same_bits<int>(b), c);
}
inline unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) {
    return __dp2a_lo(cuset_host::same_bits<unsigned>(a), cuset_host::same_bits<unsigned>(b), c);
}
inline int __dp2a_hi(short2 a, char4 b, int c) {
    return __dp2a_hi(cuset_host::same_bits<int>(a), cuset_host::same_bits<int>(b), c);
}
inline unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) {
    return __dp2a_hi(cuset_host::same_bits<unsigned>(a), cuset_host::same_bits<unsigned>(b), c);
}
