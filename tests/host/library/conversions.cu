// Conversions with a rounding of their own, saturating as the PTX manual says of cvt; the expected
// values were computed with exact rational numbers (Python's fractions).
#include <cstdio>
#include <cstring>

struct check {
    unsigned long long value, expected;
    int line;
};

template <class T>
__device__ unsigned long long bits(T value) {
    unsigned long long result = 0;
    memcpy(&result, &value, sizeof(value));
    return result;
}

#define CHECK(value, expected) out[i++] = {bits(value), expected, __LINE__};
#define ROUNDED(function, operand, rn, rz, ru, rd) \
    CHECK(function##_rn(operand), rn)              \
    CHECK(function##_rz(operand), rz)              \
    CHECK(function##_ru(operand), ru)              \
    CHECK(function##_rd(operand), rd)

// `one` and `zero` keep the compiler from computing the values itself.
__global__ void compute(check* out, int* n, int one, int zero) {
    int i = 0;
    // clang-format off
    ROUNDED(__float2int, __uint_as_float(0x40200000u * one), 0x2ull, 0x2ull, 0x3ull, 0x2ull)
    ROUNDED(__float2uint, __uint_as_float(0x40200000u * one), 0x2ull, 0x2ull, 0x3ull, 0x2ull)
    ROUNDED(__float2ll, __uint_as_float(0x40200000u * one), 0x2ull, 0x2ull, 0x3ull, 0x2ull)
    ROUNDED(__float2ull, __uint_as_float(0x40200000u * one), 0x2ull, 0x2ull, 0x3ull, 0x2ull)
    ROUNDED(__float2int, __uint_as_float(0xc0200000u * one), 0xfffffffeull, 0xfffffffeull, 0xfffffffeull, 0xfffffffdull)
    ROUNDED(__float2uint, __uint_as_float(0xc0200000u * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__float2ll, __uint_as_float(0xc0200000u * one), 0xfffffffffffffffeull, 0xfffffffffffffffeull, 0xfffffffffffffffeull, 0xfffffffffffffffdull)
    ROUNDED(__float2ull, __uint_as_float(0xc0200000u * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__float2int, __uint_as_float(0x40600000u * one), 0x4ull, 0x3ull, 0x4ull, 0x3ull)
    ROUNDED(__float2uint, __uint_as_float(0x40600000u * one), 0x4ull, 0x3ull, 0x4ull, 0x3ull)
    ROUNDED(__float2ll, __uint_as_float(0x40600000u * one), 0x4ull, 0x3ull, 0x4ull, 0x3ull)
    ROUNDED(__float2ull, __uint_as_float(0x40600000u * one), 0x4ull, 0x3ull, 0x4ull, 0x3ull)
    ROUNDED(__float2int, __uint_as_float(0xbf000000u * one), 0x0ull, 0x0ull, 0x0ull, 0xffffffffull)
    ROUNDED(__float2uint, __uint_as_float(0xbf000000u * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__float2ll, __uint_as_float(0xbf000000u * one), 0x0ull, 0x0ull, 0x0ull, 0xffffffffffffffffull)
    ROUNDED(__float2ull, __uint_as_float(0xbf000000u * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__float2int, __uint_as_float(0x501502f9u * one), 0x7fffffffull, 0x7fffffffull, 0x7fffffffull, 0x7fffffffull)
    ROUNDED(__float2uint, __uint_as_float(0x501502f9u * one), 0xffffffffull, 0xffffffffull, 0xffffffffull, 0xffffffffull)
    ROUNDED(__float2ll, __uint_as_float(0x501502f9u * one), 0x2540be400ull, 0x2540be400ull, 0x2540be400ull, 0x2540be400ull)
    ROUNDED(__float2ull, __uint_as_float(0x501502f9u * one), 0x2540be400ull, 0x2540be400ull, 0x2540be400ull, 0x2540be400ull)
    ROUNDED(__float2int, __uint_as_float(0xd01502f9u * one), 0x80000000ull, 0x80000000ull, 0x80000000ull, 0x80000000ull)
    ROUNDED(__float2uint, __uint_as_float(0xd01502f9u * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__float2ll, __uint_as_float(0xd01502f9u * one), 0xfffffffdabf41c00ull, 0xfffffffdabf41c00ull, 0xfffffffdabf41c00ull, 0xfffffffdabf41c00ull)
    ROUNDED(__float2ull, __uint_as_float(0xd01502f9u * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__float2int, __uint_as_float(0x4effffffu * one), 0x7fffff80ull, 0x7fffff80ull, 0x7fffff80ull, 0x7fffff80ull)
    ROUNDED(__float2uint, __uint_as_float(0x4effffffu * one), 0x7fffff80ull, 0x7fffff80ull, 0x7fffff80ull, 0x7fffff80ull)
    ROUNDED(__float2ll, __uint_as_float(0x4effffffu * one), 0x7fffff80ull, 0x7fffff80ull, 0x7fffff80ull, 0x7fffff80ull)
    ROUNDED(__float2ull, __uint_as_float(0x4effffffu * one), 0x7fffff80ull, 0x7fffff80ull, 0x7fffff80ull, 0x7fffff80ull)
    ROUNDED(__float2int, __uint_as_float(0x4f000000u * one), 0x7fffffffull, 0x7fffffffull, 0x7fffffffull, 0x7fffffffull)
    ROUNDED(__float2uint, __uint_as_float(0x4f000000u * one), 0x80000000ull, 0x80000000ull, 0x80000000ull, 0x80000000ull)
    ROUNDED(__float2ll, __uint_as_float(0x4f000000u * one), 0x80000000ull, 0x80000000ull, 0x80000000ull, 0x80000000ull)
    ROUNDED(__float2ull, __uint_as_float(0x4f000000u * one), 0x80000000ull, 0x80000000ull, 0x80000000ull, 0x80000000ull)
    ROUNDED(__float2int, __uint_as_float(0xcf000000u * one), 0x80000000ull, 0x80000000ull, 0x80000000ull, 0x80000000ull)
    ROUNDED(__float2uint, __uint_as_float(0xcf000000u * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__float2ll, __uint_as_float(0xcf000000u * one), 0xffffffff80000000ull, 0xffffffff80000000ull, 0xffffffff80000000ull, 0xffffffff80000000ull)
    ROUNDED(__float2ull, __uint_as_float(0xcf000000u * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__float2int, __uint_as_float(0x4f7fffffu * one), 0x7fffffffull, 0x7fffffffull, 0x7fffffffull, 0x7fffffffull)
    ROUNDED(__float2uint, __uint_as_float(0x4f7fffffu * one), 0xffffff00ull, 0xffffff00ull, 0xffffff00ull, 0xffffff00ull)
    ROUNDED(__float2ll, __uint_as_float(0x4f7fffffu * one), 0xffffff00ull, 0xffffff00ull, 0xffffff00ull, 0xffffff00ull)
    ROUNDED(__float2ull, __uint_as_float(0x4f7fffffu * one), 0xffffff00ull, 0xffffff00ull, 0xffffff00ull, 0xffffff00ull)
    ROUNDED(__float2int, __uint_as_float(0x4f800000u * one), 0x7fffffffull, 0x7fffffffull, 0x7fffffffull, 0x7fffffffull)
    ROUNDED(__float2uint, __uint_as_float(0x4f800000u * one), 0xffffffffull, 0xffffffffull, 0xffffffffull, 0xffffffffull)
    ROUNDED(__float2ll, __uint_as_float(0x4f800000u * one), 0x100000000ull, 0x100000000ull, 0x100000000ull, 0x100000000ull)
    ROUNDED(__float2ull, __uint_as_float(0x4f800000u * one), 0x100000000ull, 0x100000000ull, 0x100000000ull, 0x100000000ull)
    ROUNDED(__float2int, __uint_as_float(0x5effffffu * one), 0x7fffffffull, 0x7fffffffull, 0x7fffffffull, 0x7fffffffull)
    ROUNDED(__float2uint, __uint_as_float(0x5effffffu * one), 0xffffffffull, 0xffffffffull, 0xffffffffull, 0xffffffffull)
    ROUNDED(__float2ll, __uint_as_float(0x5effffffu * one), 0x7fffff8000000000ull, 0x7fffff8000000000ull, 0x7fffff8000000000ull, 0x7fffff8000000000ull)
    ROUNDED(__float2ull, __uint_as_float(0x5effffffu * one), 0x7fffff8000000000ull, 0x7fffff8000000000ull, 0x7fffff8000000000ull, 0x7fffff8000000000ull)
    ROUNDED(__float2int, __uint_as_float(0x5f000000u * one), 0x7fffffffull, 0x7fffffffull, 0x7fffffffull, 0x7fffffffull)
    ROUNDED(__float2uint, __uint_as_float(0x5f000000u * one), 0xffffffffull, 0xffffffffull, 0xffffffffull, 0xffffffffull)
    ROUNDED(__float2ll, __uint_as_float(0x5f000000u * one), 0x7fffffffffffffffull, 0x7fffffffffffffffull, 0x7fffffffffffffffull, 0x7fffffffffffffffull)
    ROUNDED(__float2ull, __uint_as_float(0x5f000000u * one), 0x8000000000000000ull, 0x8000000000000000ull, 0x8000000000000000ull, 0x8000000000000000ull)
    ROUNDED(__float2int, __uint_as_float(0xdf000000u * one), 0x80000000ull, 0x80000000ull, 0x80000000ull, 0x80000000ull)
    ROUNDED(__float2uint, __uint_as_float(0xdf000000u * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__float2ll, __uint_as_float(0xdf000000u * one), 0x8000000000000000ull, 0x8000000000000000ull, 0x8000000000000000ull, 0x8000000000000000ull)
    ROUNDED(__float2ull, __uint_as_float(0xdf000000u * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__float2int, __uint_as_float(0x5f7fffffu * one), 0x7fffffffull, 0x7fffffffull, 0x7fffffffull, 0x7fffffffull)
    ROUNDED(__float2uint, __uint_as_float(0x5f7fffffu * one), 0xffffffffull, 0xffffffffull, 0xffffffffull, 0xffffffffull)
    ROUNDED(__float2ll, __uint_as_float(0x5f7fffffu * one), 0x7fffffffffffffffull, 0x7fffffffffffffffull, 0x7fffffffffffffffull, 0x7fffffffffffffffull)
    ROUNDED(__float2ull, __uint_as_float(0x5f7fffffu * one), 0xffffff0000000000ull, 0xffffff0000000000ull, 0xffffff0000000000ull, 0xffffff0000000000ull)
    ROUNDED(__float2int, __uint_as_float(0x5f800000u * one), 0x7fffffffull, 0x7fffffffull, 0x7fffffffull, 0x7fffffffull)
    ROUNDED(__float2uint, __uint_as_float(0x5f800000u * one), 0xffffffffull, 0xffffffffull, 0xffffffffull, 0xffffffffull)
    ROUNDED(__float2ll, __uint_as_float(0x5f800000u * one), 0x7fffffffffffffffull, 0x7fffffffffffffffull, 0x7fffffffffffffffull, 0x7fffffffffffffffull)
    ROUNDED(__float2ull, __uint_as_float(0x5f800000u * one), 0xffffffffffffffffull, 0xffffffffffffffffull, 0xffffffffffffffffull, 0xffffffffffffffffull)
    ROUNDED(__float2int, __uint_as_float(0x7f800000u * one), 0x7fffffffull, 0x7fffffffull, 0x7fffffffull, 0x7fffffffull)
    ROUNDED(__float2uint, __uint_as_float(0x7f800000u * one), 0xffffffffull, 0xffffffffull, 0xffffffffull, 0xffffffffull)
    ROUNDED(__float2ll, __uint_as_float(0x7f800000u * one), 0x7fffffffffffffffull, 0x7fffffffffffffffull, 0x7fffffffffffffffull, 0x7fffffffffffffffull)
    ROUNDED(__float2ull, __uint_as_float(0x7f800000u * one), 0xffffffffffffffffull, 0xffffffffffffffffull, 0xffffffffffffffffull, 0xffffffffffffffffull)
    ROUNDED(__float2int, __uint_as_float(0xff800000u * one), 0x80000000ull, 0x80000000ull, 0x80000000ull, 0x80000000ull)
    ROUNDED(__float2uint, __uint_as_float(0xff800000u * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__float2ll, __uint_as_float(0xff800000u * one), 0x8000000000000000ull, 0x8000000000000000ull, 0x8000000000000000ull, 0x8000000000000000ull)
    ROUNDED(__float2ull, __uint_as_float(0xff800000u * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__float2int, __uint_as_float(0x7fc00000u * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__float2uint, __uint_as_float(0x7fc00000u * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__float2ll, __uint_as_float(0x7fc00000u * one), 0x8000000000000000ull, 0x8000000000000000ull, 0x8000000000000000ull, 0x8000000000000000ull)
    ROUNDED(__float2ull, __uint_as_float(0x7fc00000u * one), 0x8000000000000000ull, 0x8000000000000000ull, 0x8000000000000000ull, 0x8000000000000000ull)
    ROUNDED(__float2int, __uint_as_float(0x1u * one), 0x0ull, 0x0ull, 0x1ull, 0x0ull)
    ROUNDED(__float2uint, __uint_as_float(0x1u * one), 0x0ull, 0x0ull, 0x1ull, 0x0ull)
    ROUNDED(__float2ll, __uint_as_float(0x1u * one), 0x0ull, 0x0ull, 0x1ull, 0x0ull)
    ROUNDED(__float2ull, __uint_as_float(0x1u * one), 0x0ull, 0x0ull, 0x1ull, 0x0ull)
    ROUNDED(__double2int, __longlong_as_double(0x4004000000000000ull * one), 0x2ull, 0x2ull, 0x3ull, 0x2ull)
    ROUNDED(__double2uint, __longlong_as_double(0x4004000000000000ull * one), 0x2ull, 0x2ull, 0x3ull, 0x2ull)
    ROUNDED(__double2ll, __longlong_as_double(0x4004000000000000ull * one), 0x2ull, 0x2ull, 0x3ull, 0x2ull)
    ROUNDED(__double2ull, __longlong_as_double(0x4004000000000000ull * one), 0x2ull, 0x2ull, 0x3ull, 0x2ull)
    ROUNDED(__double2int, __longlong_as_double(0xc004000000000000ull * one), 0xfffffffeull, 0xfffffffeull, 0xfffffffeull, 0xfffffffdull)
    ROUNDED(__double2uint, __longlong_as_double(0xc004000000000000ull * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__double2ll, __longlong_as_double(0xc004000000000000ull * one), 0xfffffffffffffffeull, 0xfffffffffffffffeull, 0xfffffffffffffffeull, 0xfffffffffffffffdull)
    ROUNDED(__double2ull, __longlong_as_double(0xc004000000000000ull * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__double2int, __longlong_as_double(0x3fe0000000000000ull * one), 0x0ull, 0x0ull, 0x1ull, 0x0ull)
    ROUNDED(__double2uint, __longlong_as_double(0x3fe0000000000000ull * one), 0x0ull, 0x0ull, 0x1ull, 0x0ull)
    ROUNDED(__double2ll, __longlong_as_double(0x3fe0000000000000ull * one), 0x0ull, 0x0ull, 0x1ull, 0x0ull)
    ROUNDED(__double2ull, __longlong_as_double(0x3fe0000000000000ull * one), 0x0ull, 0x0ull, 0x1ull, 0x0ull)
    ROUNDED(__double2int, __longlong_as_double(0xbfe0000000000000ull * one), 0x0ull, 0x0ull, 0x0ull, 0xffffffffull)
    ROUNDED(__double2uint, __longlong_as_double(0xbfe0000000000000ull * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__double2ll, __longlong_as_double(0xbfe0000000000000ull * one), 0x0ull, 0x0ull, 0x0ull, 0xffffffffffffffffull)
    ROUNDED(__double2ull, __longlong_as_double(0xbfe0000000000000ull * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__double2int, __longlong_as_double(0x41dfffffffe00000ull * one), 0x7fffffffull, 0x7fffffffull, 0x7fffffffull, 0x7fffffffull)
    ROUNDED(__double2uint, __longlong_as_double(0x41dfffffffe00000ull * one), 0x80000000ull, 0x7fffffffull, 0x80000000ull, 0x7fffffffull)
    ROUNDED(__double2ll, __longlong_as_double(0x41dfffffffe00000ull * one), 0x80000000ull, 0x7fffffffull, 0x80000000ull, 0x7fffffffull)
    ROUNDED(__double2ull, __longlong_as_double(0x41dfffffffe00000ull * one), 0x80000000ull, 0x7fffffffull, 0x80000000ull, 0x7fffffffull)
    ROUNDED(__double2int, __longlong_as_double(0xc1e0000000100000ull * one), 0x80000000ull, 0x80000000ull, 0x80000000ull, 0x80000000ull)
    ROUNDED(__double2uint, __longlong_as_double(0xc1e0000000100000ull * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__double2ll, __longlong_as_double(0xc1e0000000100000ull * one), 0xffffffff80000000ull, 0xffffffff80000000ull, 0xffffffff80000000ull, 0xffffffff7fffffffull)
    ROUNDED(__double2ull, __longlong_as_double(0xc1e0000000100000ull * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__double2int, __longlong_as_double(0x41effffffff00000ull * one), 0x7fffffffull, 0x7fffffffull, 0x7fffffffull, 0x7fffffffull)
    ROUNDED(__double2uint, __longlong_as_double(0x41effffffff00000ull * one), 0xffffffffull, 0xffffffffull, 0xffffffffull, 0xffffffffull)
    ROUNDED(__double2ll, __longlong_as_double(0x41effffffff00000ull * one), 0x100000000ull, 0xffffffffull, 0x100000000ull, 0xffffffffull)
    ROUNDED(__double2ull, __longlong_as_double(0x41effffffff00000ull * one), 0x100000000ull, 0xffffffffull, 0x100000000ull, 0xffffffffull)
    ROUNDED(__double2int, __longlong_as_double(0x43e02207973f6440ull * one), 0x7fffffffull, 0x7fffffffull, 0x7fffffffull, 0x7fffffffull)
    ROUNDED(__double2uint, __longlong_as_double(0x43e02207973f6440ull * one), 0xffffffffull, 0xffffffffull, 0xffffffffull, 0xffffffffull)
    ROUNDED(__double2ll, __longlong_as_double(0x43e02207973f6440ull * one), 0x7fffffffffffffffull, 0x7fffffffffffffffull, 0x7fffffffffffffffull, 0x7fffffffffffffffull)
    ROUNDED(__double2ull, __longlong_as_double(0x43e02207973f6440ull * one), 0x81103cb9fb220000ull, 0x81103cb9fb220000ull, 0x81103cb9fb220000ull, 0x81103cb9fb220000ull)
    ROUNDED(__double2int, __longlong_as_double(0xc3e02207973f6440ull * one), 0x80000000ull, 0x80000000ull, 0x80000000ull, 0x80000000ull)
    ROUNDED(__double2uint, __longlong_as_double(0xc3e02207973f6440ull * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__double2ll, __longlong_as_double(0xc3e02207973f6440ull * one), 0x8000000000000000ull, 0x8000000000000000ull, 0x8000000000000000ull, 0x8000000000000000ull)
    ROUNDED(__double2ull, __longlong_as_double(0xc3e02207973f6440ull * one), 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__double2int, __longlong_as_double(0x43f07ad8f556c6c0ull * one), 0x7fffffffull, 0x7fffffffull, 0x7fffffffull, 0x7fffffffull)
    ROUNDED(__double2uint, __longlong_as_double(0x43f07ad8f556c6c0ull * one), 0xffffffffull, 0xffffffffull, 0xffffffffull, 0xffffffffull)
    ROUNDED(__double2ll, __longlong_as_double(0x43f07ad8f556c6c0ull * one), 0x7fffffffffffffffull, 0x7fffffffffffffffull, 0x7fffffffffffffffull, 0x7fffffffffffffffull)
    ROUNDED(__double2ull, __longlong_as_double(0x43f07ad8f556c6c0ull * one), 0xffffffffffffffffull, 0xffffffffffffffffull, 0xffffffffffffffffull, 0xffffffffffffffffull)
    ROUNDED(__double2int, __longlong_as_double(0x7ff0000000000000ull * one), 0x7fffffffull, 0x7fffffffull, 0x7fffffffull, 0x7fffffffull)
    ROUNDED(__double2uint, __longlong_as_double(0x7ff0000000000000ull * one), 0xffffffffull, 0xffffffffull, 0xffffffffull, 0xffffffffull)
    ROUNDED(__double2ll, __longlong_as_double(0x7ff0000000000000ull * one), 0x7fffffffffffffffull, 0x7fffffffffffffffull, 0x7fffffffffffffffull, 0x7fffffffffffffffull)
    ROUNDED(__double2ull, __longlong_as_double(0x7ff0000000000000ull * one), 0xffffffffffffffffull, 0xffffffffffffffffull, 0xffffffffffffffffull, 0xffffffffffffffffull)
    ROUNDED(__double2int, __longlong_as_double(0x7ff8000000000000ull * one), 0x80000000ull, 0x80000000ull, 0x80000000ull, 0x80000000ull)
    ROUNDED(__double2uint, __longlong_as_double(0x7ff8000000000000ull * one), 0x80000000ull, 0x80000000ull, 0x80000000ull, 0x80000000ull)
    ROUNDED(__double2ll, __longlong_as_double(0x7ff8000000000000ull * one), 0x8000000000000000ull, 0x8000000000000000ull, 0x8000000000000000ull, 0x8000000000000000ull)
    ROUNDED(__double2ull, __longlong_as_double(0x7ff8000000000000ull * one), 0x8000000000000000ull, 0x8000000000000000ull, 0x8000000000000000ull, 0x8000000000000000ull)
    ROUNDED(__int2float, 16777217 * one, 0x4b800000ull, 0x4b800000ull, 0x4b800001ull, 0x4b800000ull)
    ROUNDED(__int2float, -16777217 * one, 0xcb800000ull, 0xcb800000ull, 0xcb800000ull, 0xcb800001ull)
    ROUNDED(__int2float, 2147483647 * one, 0x4f000000ull, 0x4effffffull, 0x4f000000ull, 0x4effffffull)
    ROUNDED(__int2float, -2147483647 * one, 0xcf000000ull, 0xceffffffull, 0xceffffffull, 0xcf000000ull)
    ROUNDED(__int2float, 33554435 * one, 0x4c000001ull, 0x4c000000ull, 0x4c000001ull, 0x4c000000ull)
    ROUNDED(__int2float, 0 * one, 0x0ull, 0x0ull, 0x0ull, 0x0ull)
    ROUNDED(__uint2float, 16777217u * one, 0x4b800000ull, 0x4b800000ull, 0x4b800001ull, 0x4b800000ull)
    ROUNDED(__uint2float, 4294967295u * one, 0x4f800000ull, 0x4f7fffffull, 0x4f800000ull, 0x4f7fffffull)
    ROUNDED(__uint2float, 2147483777u * one, 0x4f000001ull, 0x4f000000ull, 0x4f000001ull, 0x4f000000ull)
    ROUNDED(__ll2float, 9223372036854775807ll * one, 0x5f000000ull, 0x5effffffull, 0x5f000000ull, 0x5effffffull)
    ROUNDED(__ll2double, 9223372036854775807ll * one, 0x43e0000000000000ull, 0x43dfffffffffffffull, 0x43e0000000000000ull, 0x43dfffffffffffffull)
    ROUNDED(__ll2float, -4611686018427387905ll * one, 0xde800000ull, 0xde800000ull, 0xde800000ull, 0xde800001ull)
    ROUNDED(__ll2double, -4611686018427387905ll * one, 0xc3d0000000000000ull, 0xc3d0000000000000ull, 0xc3d0000000000000ull, 0xc3d0000000000001ull)
    ROUNDED(__ll2float, 9007199254740993ll * one, 0x5a000000ull, 0x5a000000ull, 0x5a000001ull, 0x5a000000ull)
    ROUNDED(__ll2double, 9007199254740993ll * one, 0x4340000000000000ull, 0x4340000000000000ull, 0x4340000000000001ull, 0x4340000000000000ull)
    ROUNDED(__ll2float, 16777217ll * one, 0x4b800000ull, 0x4b800000ull, 0x4b800001ull, 0x4b800000ull)
    ROUNDED(__ll2double, 16777217ll * one, 0x4170000010000000ull, 0x4170000010000000ull, 0x4170000010000000ull, 0x4170000010000000ull)
    ROUNDED(__ll2float, -9007199254740993ll * one, 0xda000000ull, 0xda000000ull, 0xda000000ull, 0xda000001ull)
    ROUNDED(__ll2double, -9007199254740993ll * one, 0xc340000000000000ull, 0xc340000000000000ull, 0xc340000000000000ull, 0xc340000000000001ull)
    ROUNDED(__ull2float, 18446744073709551615ull * one, 0x5f800000ull, 0x5f7fffffull, 0x5f800000ull, 0x5f7fffffull)
    ROUNDED(__ull2double, 18446744073709551615ull * one, 0x43f0000000000000ull, 0x43efffffffffffffull, 0x43f0000000000000ull, 0x43efffffffffffffull)
    ROUNDED(__ull2float, 9223372036854775809ull * one, 0x5f000000ull, 0x5f000000ull, 0x5f000001ull, 0x5f000000ull)
    ROUNDED(__ull2double, 9223372036854775809ull * one, 0x43e0000000000000ull, 0x43e0000000000000ull, 0x43e0000000000001ull, 0x43e0000000000000ull)
    ROUNDED(__ull2float, 9007199254740993ull * one, 0x5a000000ull, 0x5a000000ull, 0x5a000001ull, 0x5a000000ull)
    ROUNDED(__ull2double, 9007199254740993ull * one, 0x4340000000000000ull, 0x4340000000000000ull, 0x4340000000000001ull, 0x4340000000000000ull)
    ROUNDED(__ull2float, 1099511693313ull * one, 0x53800001ull, 0x53800000ull, 0x53800001ull, 0x53800000ull)
    ROUNDED(__ull2double, 1099511693313ull * one, 0x4270000010001000ull, 0x4270000010001000ull, 0x4270000010001000ull, 0x4270000010001000ull)
    ROUNDED(__double2float, __longlong_as_double(0x3fb999999999999aull * one), 0x3dcccccdull, 0x3dccccccull, 0x3dcccccdull, 0x3dccccccull)
    ROUNDED(__double2float, __longlong_as_double(0xbfb999999999999aull * one), 0xbdcccccdull, 0xbdccccccull, 0xbdccccccull, 0xbdcccccdull)
    ROUNDED(__double2float, __longlong_as_double(0x48078287f49c4a1dull * one), 0x7f800000ull, 0x7f7fffffull, 0x7f800000ull, 0x7f7fffffull)
    ROUNDED(__double2float, __longlong_as_double(0xc8078287f49c4a1dull * one), 0xff800000ull, 0xff7fffffull, 0xff7fffffull, 0xff800000ull)
    ROUNDED(__double2float, __longlong_as_double(0x366244ce242c5561ull * one), 0x0ull, 0x0ull, 0x1ull, 0x0ull)
    ROUNDED(__double2float, __longlong_as_double(0xb66244ce242c5561ull * one), 0x80000000ull, 0x80000000ull, 0x80000000ull, 0x80000001ull)
    ROUNDED(__double2float, __longlong_as_double(0x3ff0000010000000ull * one), 0x3f800000ull, 0x3f800000ull, 0x3f800001ull, 0x3f800000ull)
    ROUNDED(__double2float, __longlong_as_double(0x3ff0000000000000ull * one), 0x3f800000ull, 0x3f800000ull, 0x3f800000ull, 0x3f800000ull)
    CHECK(__int2double_rn(-7 * one), 0xc01c000000000000ull)
    CHECK(__uint2double_rn(4294967295u * one), 0x41efffffffe00000ull)
    CHECK(__saturatef(1.5f * one), 0x3f800000ull)
    CHECK(__saturatef(-1.5f * one), 0x0ull)
    CHECK(__saturatef(0.25f * one), 0x3e800000ull)
    CHECK(__saturatef(__int_as_float(0x7fc00000 * one)), 0x0ull)
    // clang-format on
    *n = i;
}

int main() {
    static check checks[2000];
    int n = 0;
    check* device_checks;
    int* device_n;
    cudaMalloc(&device_checks, sizeof(checks));
    cudaMalloc(&device_n, sizeof(n));
    compute<<<1, 1>>>(device_checks, device_n, 1, 0);
    cudaMemcpy(&n, device_n, sizeof(n), cudaMemcpyDeviceToHost);
    if (n == 0 || cudaMemcpy(checks, device_checks, n * sizeof(check), cudaMemcpyDeviceToHost) !=
                      cudaSuccess) {
        printf("the kernel failed\n");
        return 1;
    }
    cudaFree(device_checks);
    cudaFree(device_n);
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        if (checks[i].value == checks[i].expected) continue;
        printf("line %d: %llx, not %llx\n", checks[i].line, checks[i].value, checks[i].expected);
        wrong = 1;
    }
    return wrong;
}
