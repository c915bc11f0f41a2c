// min, max and similar functions at global scope, with CUDA's overloads: two different types meet
// in the wider one, and in the unsigned one if they have the same width.
#pragma once

#include <cuset_host/cuda_types.h>

#define CUSET_HOST_MIN_MAX(result, first, second)                                        \
    inline result min(first a, second b) {                                               \
        return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(a)  \
                                                               : static_cast<result>(b); \
    }                                                                                    \
    inline result max(first a, second b) {                                               \
        return static_cast<result>(a) > static_cast<result>(b) ? static_cast<result>(a)  \
                                                               : static_cast<result>(b); \
    }
CUSET_HOST_MIN_MAX(int, int, int)
CUSET_HOST_MIN_MAX(unsigned, unsigned, unsigned)
CUSET_HOST_MIN_MAX(unsigned, int, unsigned)
CUSET_HOST_MIN_MAX(unsigned, unsigned, int)
CUSET_HOST_MIN_MAX(long, long, long)
CUSET_HOST_MIN_MAX(unsigned long, unsigned long, unsigned long)
CUSET_HOST_MIN_MAX(unsigned long, long, unsigned long)
CUSET_HOST_MIN_MAX(unsigned long, unsigned long, long)
CUSET_HOST_MIN_MAX(long long, long long, long long)
CUSET_HOST_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
CUSET_HOST_MIN_MAX(unsigned long long, long long, unsigned long long)
CUSET_HOST_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef CUSET_HOST_MIN_MAX

// The result for a number and NaN is the number, as in fmin and fmax, without a library call.
#define CUSET_HOST_MIN_MAX(type, first, second) \
    inline type min(first a, second b) {        \
        const type x = a, y = b;                \
        return x < y || y != y ? x : y;         \
    }                                           \
    inline type max(first a, second b) {        \
        const type x = a, y = b;                \
        return x > y || y != y ? x : y;         \
    }
CUSET_HOST_MIN_MAX(float, float, float)
CUSET_HOST_MIN_MAX(double, double, double)
CUSET_HOST_MIN_MAX(double, float, double)
CUSET_HOST_MIN_MAX(double, double, float)
#undef CUSET_HOST_MIN_MAX

inline unsigned umin(unsigned a, unsigned b) { return min(a, b); }
inline unsigned umax(unsigned a, unsigned b) { return max(a, b); }
inline long long llmin(long long a, long long b) { return min(a, b); }
inline long long llmax(long long a, long long b) { return max(a, b); }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }
