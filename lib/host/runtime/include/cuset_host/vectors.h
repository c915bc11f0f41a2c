// CUDA's built-in vector types and dim3: members x, y, z, w; aligned to their size where it is a
// power of two, at most to 16 bytes.
#pragma once

#define CUSET_HOST_VECTORS(type, name, size)                                    \
    struct name##1 {                                                            \
        type x;                                                                 \
    };                                                                          \
    struct alignas(size * 2 > 16 ? 16 : size * 2) name##2 {                     \
        type x, y;                                                              \
    };                                                                          \
    struct name##3 {                                                            \
        type x, y, z;                                                           \
    };                                                                          \
    struct alignas(size * 4 > 16 ? 16 : size * 4) name##4 {                     \
        type x, y, z, w;                                                        \
    };                                                                          \
    inline name##1 make_##name##1(type x) { return {x}; }                       \
    inline name##2 make_##name##2(type x, type y) { return {x, y}; }            \
    inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
    inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }

CUSET_HOST_VECTORS(signed char, char, 1)
CUSET_HOST_VECTORS(unsigned char, uchar, 1)
CUSET_HOST_VECTORS(short, short, 2)
CUSET_HOST_VECTORS(unsigned short, ushort, 2)
CUSET_HOST_VECTORS(int, int, 4)
CUSET_HOST_VECTORS(unsigned, uint, 4)
CUSET_HOST_VECTORS(long, long, 8)
CUSET_HOST_VECTORS(unsigned long, ulong, 8)
CUSET_HOST_VECTORS(long long, longlong, 8)
CUSET_HOST_VECTORS(unsigned long long, ulonglong, 8)
CUSET_HOST_VECTORS(float, float, 4)
CUSET_HOST_VECTORS(double, double, 8)
#undef CUSET_HOST_VECTORS

// Since CUDA 13 the 32-byte vectors have their alignment in the name.
#define CUSET_HOST_WIDE_VECTOR(type, name, alignment)                                             \
    struct alignas(alignment) name##4_##alignment##a {                                            \
        type x, y, z, w;                                                                          \
    };                                                                                            \
    inline name##4_##alignment##a make_##name##4_##alignment##a(type x, type y, type z, type w) { \
        return {x, y, z, w};                                                                      \
    }
CUSET_HOST_WIDE_VECTOR(long, long, 16)
CUSET_HOST_WIDE_VECTOR(long, long, 32)
CUSET_HOST_WIDE_VECTOR(unsigned long, ulong, 16)
CUSET_HOST_WIDE_VECTOR(unsigned long, ulong, 32)
CUSET_HOST_WIDE_VECTOR(long long, longlong, 16)
CUSET_HOST_WIDE_VECTOR(long long, longlong, 32)
CUSET_HOST_WIDE_VECTOR(unsigned long long, ulonglong, 16)
CUSET_HOST_WIDE_VECTOR(unsigned long long, ulonglong, 32)
CUSET_HOST_WIDE_VECTOR(double, double, 16)
CUSET_HOST_WIDE_VECTOR(double, double, 32)
#undef CUSET_HOST_WIDE_VECTOR

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};
