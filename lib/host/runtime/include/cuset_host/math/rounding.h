// CUDA's arithmetic with explicit rounding: __fadd_rd, __dmul_ru, __fmaf_rz …
//
// _rn is the processor's default; the others set its rounding mode for one operation. The empty asm
// statements keep the operation between the two settings, and keep the compiler from computing it
// in advance or fusing it with another (CUDA never fuses these).
#pragma once

#include <cuset_host/cuda_types.h>

#if !defined(__x86_64__)
#include <fenv.h>
#endif

namespace cuset_host {

#if defined(__x86_64__)
enum class rounding : unsigned { nearest = 0, down = 0x2000, up = 0x4000, zero = 0x6000 };
#define CUSET_HOST_FLOAT_REGISTER "+x"

class rounding_scope {
public:
    explicit rounding_scope(rounding mode) : before_(__builtin_ia32_stmxcsr()) {
        __builtin_ia32_ldmxcsr((before_ & ~0x6000u) | static_cast<unsigned>(mode));
    }
    ~rounding_scope() { __builtin_ia32_ldmxcsr(before_); }
    rounding_scope(const rounding_scope&) = delete;
    rounding_scope& operator=(const rounding_scope&) = delete;

private:
    unsigned before_;
};
#else
enum class rounding : unsigned {
    nearest = FE_TONEAREST,
    down = FE_DOWNWARD,
    up = FE_UPWARD,
    zero = FE_TOWARDZERO
};
#define CUSET_HOST_FLOAT_REGISTER "+w"

class rounding_scope {
public:
    explicit rounding_scope(rounding mode) : before_(fegetround()) {
        fesetround(static_cast<int>(mode));
    }
    ~rounding_scope() { fesetround(before_); }
    rounding_scope(const rounding_scope&) = delete;
    rounding_scope& operator=(const rounding_scope&) = delete;

private:
    int before_;
};
#endif

/// The value, in a form that the compiler knows nothing about.
template <class T>
inline T opaque(T x) {
    asm volatile("" : CUSET_HOST_FLOAT_REGISTER(x));
    return x;
}

}  // namespace cuset_host

#define CUSET_HOST_ROUNDED(type, name, parameters, opaque_operands, operation) \
    CUSET_HOST_ARITHMETIC type name##_rn parameters {                          \
        opaque_operands;                                                       \
        return cuset_host::opaque(operation);                                  \
    }                                                                          \
    CUSET_HOST_ARITHMETIC type name##_rz parameters {                          \
        const cuset_host::rounding_scope scope(cuset_host::rounding::zero);    \
        opaque_operands;                                                       \
        return cuset_host::opaque(operation);                                  \
    }                                                                          \
    CUSET_HOST_ARITHMETIC type name##_ru parameters {                          \
        const cuset_host::rounding_scope scope(cuset_host::rounding::up);      \
        opaque_operands;                                                       \
        return cuset_host::opaque(operation);                                  \
    }                                                                          \
    CUSET_HOST_ARITHMETIC type name##_rd parameters {                          \
        const cuset_host::rounding_scope scope(cuset_host::rounding::down);    \
        opaque_operands;                                                       \
        return cuset_host::opaque(operation);                                  \
    }
#define CUSET_HOST_HIDE_X x = cuset_host::opaque(x)
#define CUSET_HOST_HIDE_XY CUSET_HOST_HIDE_X, y = cuset_host::opaque(y)
#define CUSET_HOST_HIDE_XYZ CUSET_HOST_HIDE_XY, z = cuset_host::opaque(z)

CUSET_HOST_ROUNDED(float, __fadd, (float x, float y), CUSET_HOST_HIDE_XY, x + y)
CUSET_HOST_ROUNDED(float, __fsub, (float x, float y), CUSET_HOST_HIDE_XY, x - y)
CUSET_HOST_ROUNDED(float, __fmul, (float x, float y), CUSET_HOST_HIDE_XY, x* y)
CUSET_HOST_ROUNDED(float, __fdiv, (float x, float y), CUSET_HOST_HIDE_XY, x / y)
CUSET_HOST_ROUNDED(float, __frcp, (float x), CUSET_HOST_HIDE_X, 1.0f / x)
CUSET_HOST_ROUNDED(float, __fsqrt, (float x), CUSET_HOST_HIDE_X, __builtin_sqrtf(x))
CUSET_HOST_ROUNDED(float, __fmaf, (float x, float y, float z), CUSET_HOST_HIDE_XYZ,
                   __builtin_fmaf(x, y, z))
CUSET_HOST_ROUNDED(float, __fmaf_ieee, (float x, float y, float z), CUSET_HOST_HIDE_XYZ,
                   __builtin_fmaf(x, y, z))
CUSET_HOST_ROUNDED(double, __dadd, (double x, double y), CUSET_HOST_HIDE_XY, x + y)
CUSET_HOST_ROUNDED(double, __dsub, (double x, double y), CUSET_HOST_HIDE_XY, x - y)
CUSET_HOST_ROUNDED(double, __dmul, (double x, double y), CUSET_HOST_HIDE_XY, x* y)
CUSET_HOST_ROUNDED(double, __ddiv, (double x, double y), CUSET_HOST_HIDE_XY, x / y)
CUSET_HOST_ROUNDED(double, __drcp, (double x), CUSET_HOST_HIDE_X, 1.0 / x)
CUSET_HOST_ROUNDED(double, __dsqrt, (double x), CUSET_HOST_HIDE_X, __builtin_sqrt(x))
CUSET_HOST_ROUNDED(double, __fma, (double x, double y, double z), CUSET_HOST_HIDE_XYZ,
                   __builtin_fma(x, y, z))

/// 1/sqrt(x), rounded once. The double's error is far below half a place of the float, and the
/// exact value is never near enough to a tie for it to matter.
CUSET_HOST_ARITHMETIC float __frsqrt_rn(float x) {
    return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x)));
}
