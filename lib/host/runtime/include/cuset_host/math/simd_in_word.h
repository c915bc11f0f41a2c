// Two halfwords or four bytes of a word at once ("SIMD Intrinsics" of the CUDA Math API). What is
// not here (averages of signed lanes, three-operand minima) does not compile.
#pragma once

// x and y are the lanes, as `type`; the value's low bits are the lane of the result.
#define CUSET_HOST_LANES(name, bits, type, value)                                         \
    inline unsigned name(unsigned a, unsigned b) {                                        \
        unsigned result = 0;                                                              \
        for (int i = 0; i < 32; i += bits) {                                              \
            const int x = static_cast<type>(a >> i), y = static_cast<type>(b >> i);       \
            result |= (static_cast<unsigned>(value) & (0xffffffffu >> (32 - bits))) << i; \
        }                                                                                 \
        return result;                                                                    \
    }
#define CUSET_HOST_LANES_OF_ONE(name, bits, type, value)                                  \
    inline unsigned name(unsigned a) {                                                    \
        unsigned result = 0;                                                              \
        for (int i = 0; i < 32; i += bits) {                                              \
            const int x = static_cast<type>(a >> i);                                      \
            result |= (static_cast<unsigned>(value) & (0xffffffffu >> (32 - bits))) << i; \
        }                                                                                 \
        return result;                                                                    \
    }
#define CUSET_HOST_LANES_SUM(name, bits, type)                                      \
    inline unsigned name(unsigned a, unsigned b) {                                  \
        unsigned sum = 0;                                                           \
        for (int i = 0; i < 32; i += bits) {                                        \
            const int x = static_cast<type>(a >> i), y = static_cast<type>(b >> i); \
            sum += static_cast<unsigned>(x > y ? x - y : y - x);                    \
        }                                                                           \
        return sum;                                                                 \
    }

namespace cuset_host {
inline int clamped(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
}  // namespace cuset_host

#define CUSET_HOST_SIGNED_CLAMP(bits, x) \
    cuset_host::clamped(x, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)
#define CUSET_HOST_UNSIGNED_CLAMP(bits, x) cuset_host::clamped(x, 0, (1 << bits) - 1)

// Comparisons: __vcmp… gives a lane of ones, __vset… the number one.
#define CUSET_HOST_COMPARISON(name, n, bits, type, relation)               \
    CUSET_HOST_LANES(__vcmp##name##n, bits, type, x relation y ? ~0u : 0u) \
    CUSET_HOST_LANES(__vset##name##n, bits, type, x relation y ? 1u : 0u)

#define CUSET_HOST_SIMD(n, bits, s, u)                                                           \
    CUSET_HOST_LANES(__vadd##n, bits, u, x + y)                                                  \
    CUSET_HOST_LANES(__vaddss##n, bits, s, CUSET_HOST_SIGNED_CLAMP(bits, x + y))                 \
    CUSET_HOST_LANES(__vaddus##n, bits, u, CUSET_HOST_UNSIGNED_CLAMP(bits, x + y))               \
    CUSET_HOST_LANES(__vsub##n, bits, u, x - y)                                                  \
    CUSET_HOST_LANES(__vsubss##n, bits, s, CUSET_HOST_SIGNED_CLAMP(bits, x - y))                 \
    CUSET_HOST_LANES(__vsubus##n, bits, u, CUSET_HOST_UNSIGNED_CLAMP(bits, x - y))               \
    CUSET_HOST_LANES(__vavgu##n, bits, u, (x + y + 1) >> 1)                                      \
    CUSET_HOST_LANES(__vhaddu##n, bits, u, (x + y) >> 1)                                         \
    CUSET_HOST_LANES(__vmaxs##n, bits, s, x > y ? x : y)                                         \
    CUSET_HOST_LANES(__vmaxu##n, bits, u, x > y ? x : y)                                         \
    CUSET_HOST_LANES(__vmins##n, bits, s, x < y ? x : y)                                         \
    CUSET_HOST_LANES(__vminu##n, bits, u, x < y ? x : y)                                         \
    CUSET_HOST_LANES(__vabsdiffu##n, bits, u, x > y ? x - y : y - x)                             \
    CUSET_HOST_LANES(__vabsdiffs##n, bits, s, x > y ? x - y : y - x)                             \
    CUSET_HOST_LANES_SUM(__vsadu##n, bits, u)                                                    \
    CUSET_HOST_LANES_SUM(__vsads##n, bits, s)                                                    \
    CUSET_HOST_LANES_OF_ONE(__vabs##n, bits, s, x < 0 ? -x : x)                                  \
    CUSET_HOST_LANES_OF_ONE(__vabsss##n, bits, s, CUSET_HOST_SIGNED_CLAMP(bits, x < 0 ? -x : x)) \
    CUSET_HOST_LANES_OF_ONE(__vneg##n, bits, s, -x)                                              \
    CUSET_HOST_LANES_OF_ONE(__vnegss##n, bits, s, CUSET_HOST_SIGNED_CLAMP(bits, -x))             \
    CUSET_HOST_COMPARISON(eq, n, bits, u, ==)                                                    \
    CUSET_HOST_COMPARISON(ne, n, bits, u, !=)                                                    \
    CUSET_HOST_COMPARISON(gts, n, bits, s, >)                                                    \
    CUSET_HOST_COMPARISON(gtu, n, bits, u, >)                                                    \
    CUSET_HOST_COMPARISON(ges, n, bits, s, >=)                                                   \
    CUSET_HOST_COMPARISON(geu, n, bits, u, >=)                                                   \
    CUSET_HOST_COMPARISON(lts, n, bits, s, <)                                                    \
    CUSET_HOST_COMPARISON(ltu, n, bits, u, <)                                                    \
    CUSET_HOST_COMPARISON(les, n, bits, s, <=)                                                   \
    CUSET_HOST_COMPARISON(leu, n, bits, u, <=)

CUSET_HOST_SIMD(2, 16, short, unsigned short)
CUSET_HOST_SIMD(4, 8, signed char, unsigned char)
