// The operators that HIP gives to float4 and its like: element by element, also with a number.
// They are templates, so that a program's own ones come first.
#pragma once

#include <type_traits>

#include "cuset_host/cuda_types.h"

namespace cuset_host {

template <class V>
struct vector_of {
    static constexpr int size = 0;
};
#define CUSET_HOST_HIP_VECTOR(name, type)                      \
    template <>                                                \
    struct vector_of<name##1> {                                \
        using element = type;                                  \
        static constexpr int size = 1;                         \
    };                                                         \
    template <>                                                \
    struct vector_of<name##2> {                                \
        using element = type;                                  \
        static constexpr int size = 2;                         \
    };                                                         \
    template <>                                                \
    struct vector_of<name##3> {                                \
        using element = type;                                  \
        static constexpr int size = 3;                         \
    };                                                         \
    template <>                                                \
    struct vector_of<name##4> {                                \
        using element = type;                                  \
        static constexpr int size = 4;                         \
    };
CUSET_HOST_HIP_VECTOR(char, signed char)
CUSET_HOST_HIP_VECTOR(uchar, unsigned char)
CUSET_HOST_HIP_VECTOR(short, short)
CUSET_HOST_HIP_VECTOR(ushort, unsigned short)
CUSET_HOST_HIP_VECTOR(int, int)
CUSET_HOST_HIP_VECTOR(uint, unsigned)
CUSET_HOST_HIP_VECTOR(long, long)
CUSET_HOST_HIP_VECTOR(ulong, unsigned long)
CUSET_HOST_HIP_VECTOR(longlong, long long)
CUSET_HOST_HIP_VECTOR(ulonglong, unsigned long long)
CUSET_HOST_HIP_VECTOR(float, float)
CUSET_HOST_HIP_VECTOR(double, double)
#undef CUSET_HOST_HIP_VECTOR

template <class V, class R = V>
using if_hip_vector = std::enable_if_t<(vector_of<V>::size > 0), R>;
template <class V, class S, class R = V>
using if_hip_number =
    std::enable_if_t<(vector_of<V>::size > 0) && std::is_arithmetic_v<S>, R>;

/// The vector of which each element is f(its element of a, that of b).
template <class V, class F>
constexpr V each_element(V a, const V& b, F f) {
    using T = typename vector_of<V>::element;
    a.x = static_cast<T>(f(a.x, b.x));
    if constexpr (vector_of<V>::size > 1) a.y = static_cast<T>(f(a.y, b.y));
    if constexpr (vector_of<V>::size > 2) a.z = static_cast<T>(f(a.z, b.z));
    if constexpr (vector_of<V>::size > 3) a.w = static_cast<T>(f(a.w, b.w));
    return a;
}
template <class V, class S>
constexpr V all_elements(S number) {
    using T = typename vector_of<V>::element;
    return each_element(V{}, V{}, [number](T, T) { return static_cast<T>(number); });
}
template <class V>
constexpr bool are_equal(const V& a, const V& b) {
    bool equal = a.x == b.x;
    if constexpr (vector_of<V>::size > 1) equal = equal && a.y == b.y;
    if constexpr (vector_of<V>::size > 2) equal = equal && a.z == b.z;
    if constexpr (vector_of<V>::size > 3) equal = equal && a.w == b.w;
    return equal;
}

}  // namespace cuset_host

#define CUSET_HOST_HIP_OPERATOR(op)                                                           \
    template <class V>                                                                        \
    constexpr cuset_host::if_hip_vector<V> operator op(const V& a, const V& b) {              \
        return cuset_host::each_element(a, b, [](auto x, auto y) { return x op y; });         \
    }                                                                                         \
    template <class V, class S>                                                               \
    constexpr cuset_host::if_hip_number<V, S> operator op(const V& a, S b) {                  \
        return a op cuset_host::all_elements<V>(b);                                           \
    }                                                                                         \
    template <class V, class S>                                                               \
    constexpr cuset_host::if_hip_number<V, S> operator op(S a, const V& b) {                  \
        return cuset_host::all_elements<V>(a) op b;                                           \
    }                                                                                         \
    template <class V>                                                                        \
    constexpr cuset_host::if_hip_vector<V, V&> operator op##=(V& a, const V& b) {             \
        return a = a op b;                                                                    \
    }                                                                                         \
    template <class V, class S>                                                               \
    constexpr cuset_host::if_hip_number<V, S, V&> operator op##=(V& a, S b) {                 \
        return a = a op b;                                                                    \
    }
CUSET_HOST_HIP_OPERATOR(+)
CUSET_HOST_HIP_OPERATOR(-)
CUSET_HOST_HIP_OPERATOR(*)
CUSET_HOST_HIP_OPERATOR(/)
// g++ misses those of the elements where they are no integers.
CUSET_HOST_HIP_OPERATOR(%)
CUSET_HOST_HIP_OPERATOR(&)
CUSET_HOST_HIP_OPERATOR(|)
CUSET_HOST_HIP_OPERATOR(^)
CUSET_HOST_HIP_OPERATOR(<<)
CUSET_HOST_HIP_OPERATOR(>>)
#undef CUSET_HOST_HIP_OPERATOR

template <class V>
constexpr cuset_host::if_hip_vector<V> operator~(const V& a) {
    return cuset_host::each_element(a, a, [](auto x, auto) { return ~x; });
}
template <class V>
constexpr cuset_host::if_hip_vector<V, V&> operator++(V& a) {
    return a = a + cuset_host::all_elements<V>(1);
}
template <class V>
constexpr cuset_host::if_hip_vector<V, V&> operator--(V& a) {
    return a = a - cuset_host::all_elements<V>(1);
}
template <class V>
constexpr cuset_host::if_hip_vector<V> operator++(V& a, int) {
    const V before = a;
    ++a;
    return before;
}
template <class V>
constexpr cuset_host::if_hip_vector<V> operator--(V& a, int) {
    const V before = a;
    --a;
    return before;
}

template <class V>
constexpr cuset_host::if_hip_vector<V> operator-(const V& a) {
    return V{} - a;
}
template <class V>
constexpr cuset_host::if_hip_vector<V, bool> operator==(const V& a, const V& b) {
    return cuset_host::are_equal(a, b);
}
template <class V>
constexpr cuset_host::if_hip_vector<V, bool> operator!=(const V& a, const V& b) {
    return !cuset_host::are_equal(a, b);
}
