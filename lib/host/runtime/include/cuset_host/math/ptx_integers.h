// Shifts and conversions to integers as a GPU does them. What C++ leaves undefined, PTX defines:
// shl and shr clamp their count, and cvt.rzi saturates. The translation writes these names into
// device code (translate/device_arithmetic.cpp).
#pragma once

#include <cuset_host/math/bits.h>

#include <type_traits>

namespace cuset_host {

/// Integers and enumerations that become integers by themselves, of the sizes that PTX shifts.
template <class T>
inline constexpr bool is_shift_operand = (std::is_integral_v<T> ||
                                          (std::is_enum_v<T> && std::is_convertible_v<T, int>)) &&
                                         sizeof(T) <= 8;

/// `a << n` in device code is `a << by_ptx << n`: the precedence of both operands stays.
struct ptx_shift {};
inline constexpr ptx_shift by_ptx{};

/// The left operand, promoted, that waits for its count.
template <class T>
struct left_of_shift {
    T value;
};

template <class T, std::enable_if_t<is_shift_operand<T>, int> = 0>
constexpr auto operator<<(T a, ptx_shift) {
    return left_of_shift<decltype(+a)>{+a};
}
template <class T, std::enable_if_t<is_shift_operand<T>, int> = 0>
constexpr auto operator>>(T a, ptx_shift) {
    return left_of_shift<decltype(+a)>{+a};
}
/// Streams and the program's own types.
template <class T, std::enable_if_t<!is_shift_operand<std::remove_reference_t<T>>, int> = 0>
constexpr T&& operator<<(T&& a, ptx_shift) {
    return static_cast<T&&>(a);
}
template <class T, std::enable_if_t<!is_shift_operand<std::remove_reference_t<T>>, int> = 0>
constexpr T&& operator>>(T&& a, ptx_shift) {
    return static_cast<T&&>(a);
}

/// PTX takes the lowest 32 bits of the count, without a sign.
template <class T, class Count, std::enable_if_t<is_shift_operand<Count>, int> = 0>
constexpr T operator<<(left_of_shift<T> a, Count count) {
    const unsigned n = static_cast<unsigned>(count);
    return n < 8 * sizeof(T) ? static_cast<T>(static_cast<std::make_unsigned_t<T>>(a.value) << n)
                             : T(0);
}
template <class T, class Count, std::enable_if_t<is_shift_operand<Count>, int> = 0>
constexpr T operator>>(left_of_shift<T> a, Count count) {
    constexpr unsigned width = 8 * sizeof(T);
    const unsigned n = static_cast<unsigned>(count);
    if constexpr (std::is_signed_v<T>) return a.value >> (n < width ? n : width - 1);
    return n < width ? static_cast<T>(a.value >> n) : T(0);
}
template <class T, class Count,
          std::enable_if_t<!is_shift_operand<std::remove_reference_t<Count>>, int> = 0>
constexpr decltype(auto) operator<<(left_of_shift<T> a, Count&& count) {
    return a.value << static_cast<Count&&>(count);
}
template <class T, class Count,
          std::enable_if_t<!is_shift_operand<std::remove_reference_t<Count>>, int> = 0>
constexpr decltype(auto) operator>>(left_of_shift<T> a, Count&& count) {
    return a.value >> static_cast<Count&&>(count);
}

/// The count of `a <<= by_ptx <<= n`. To what is no integer it is `n`.
template <class Count>
struct count_of_shift {
    Count value;
    constexpr operator Count() const { return value; }
};

template <class Count, std::enable_if_t<is_shift_operand<Count>, int> = 0>
constexpr count_of_shift<Count> operator<<=(ptx_shift, Count count) {
    return {count};
}
template <class Count, std::enable_if_t<is_shift_operand<Count>, int> = 0>
constexpr count_of_shift<Count> operator>>=(ptx_shift, Count count) {
    return {count};
}
template <class Count, std::enable_if_t<!is_shift_operand<std::remove_reference_t<Count>>, int> = 0>
constexpr Count&& operator<<=(ptx_shift, Count&& count) {
    return static_cast<Count&&>(count);
}
template <class Count, std::enable_if_t<!is_shift_operand<std::remove_reference_t<Count>>, int> = 0>
constexpr Count&& operator>>=(ptx_shift, Count&& count) {
    return static_cast<Count&&>(count);
}
template <class T, class Count, std::enable_if_t<is_shift_operand<T>, int> = 0>
constexpr T& operator<<=(T& a, count_of_shift<Count> count) {
    a = static_cast<std::remove_volatile_t<T>>(a << by_ptx << count.value);
    return a;
}
template <class T, class Count, std::enable_if_t<is_shift_operand<T>, int> = 0>
constexpr T& operator>>=(T& a, count_of_shift<Count> count) {
    a = static_cast<std::remove_volatile_t<T>>(a >> by_ptx >> count.value);
    return a;
}

/// Towards 0; what lies beyond T becomes its end. NaN becomes 0 from float to 32 bits, else the
/// word whose top bit alone is set (cvt's rules in the PTX manual). Without branches, so that loops
/// over threads stay vectors.
template <class T, class F>
constexpr T converted(F x) {
    constexpr unsigned bits = 8 * sizeof(T);
    constexpr bool is_signed = std::is_signed_v<T>;
    constexpr T lowest = is_signed ? static_cast<T>(1ull << (bits - 1)) : T(0);
    // The first value too large, a power of two, and exact.
    constexpr F end = static_cast<F>(1ull << (bits - 2)) * (is_signed ? 2 : 4);
    constexpr T of_nan = bits == 64 || sizeof(F) == 8 ? static_cast<T>(1ull << (bits - 1)) : T(0);
    // What is between the ends, and else 0, which every compiler converts.
    const bool is_inside = x < end && (is_signed ? x >= -end : x >= F(0));
    const T inside = static_cast<T>(is_inside ? x : F(0));
    if constexpr (!is_signed && of_nan == 0) return x >= end ? static_cast<T>(~T(0)) : inside;
    return x >= end ? static_cast<T>(~lowest) : is_inside ? inside : x != x ? of_nan : lowest;
}

/// `(T)x` in device code: a cast, but from floating point to integers as a GPU does it. It goes by
/// way of 32 bits to smaller types, as nvcc does.
template <class T, class V, std::enable_if_t<!std::is_class_v<V> && !std::is_union_v<V>, int> = 0>
constexpr T cast_to(V x) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<std::remove_cv_t<T>, bool> &&
                  sizeof(T) <= 8 && (std::is_same_v<V, float> || std::is_same_v<V, double>)) {
        using word = std::conditional_t<sizeof(T) == 8, std::remove_cv_t<T>,
                                        std::conditional_t<std::is_signed_v<T>, int, unsigned>>;
        return static_cast<T>(converted<word>(x));
    } else {
        return (T)x;
    }
}
template <class T, class V,
          std::enable_if_t<std::is_class_v<std::remove_reference_t<V>> ||
                               std::is_union_v<std::remove_reference_t<V>>,
                           int> = 0>
constexpr T cast_to(V&& x) {
    return (T) static_cast<V&&>(x);
}

/// A floating-point value of a template's function, where some instances want an integer:
/// `*p = to_any(x)`. What wants a floating-point type or a class gets the value as it is.
template <class F>
struct value_for_any {
    F value;
    template <class T>
    constexpr operator T() const {
        return cast_to<T>(value);
    }
};
template <class V>
constexpr decltype(auto) to_any(V&& x) {
    using value = std::remove_cv_t<std::remove_reference_t<V>>;
    if constexpr (std::is_same_v<value, float> || std::is_same_v<value, double>)
        return value_for_any<value>{x};
    else
        return static_cast<V&&>(x);
}

/// `i += by_cvt += x` is `i += x` whose sum becomes an integer as PTX does it. To what is no
/// floating-point value it is `x`.
struct ptx_conversion {};
inline constexpr ptx_conversion by_cvt{};

template <class F>
struct floating_operand {
    F value;
};

#define CUSET_HOST_CONVERTED(op)                                                     \
    template <class V>                                                               \
    constexpr decltype(auto) operator op##=(ptx_conversion, V&& x) {                 \
        using value = std::remove_cv_t<std::remove_reference_t<V>>;                  \
        if constexpr (std::is_same_v<value, float> || std::is_same_v<value, double>) \
            return floating_operand<value>{x};                                       \
        else                                                                         \
            return static_cast<V&&>(x);                                              \
    }                                                                                \
    template <class T, class F>                                                      \
    constexpr T& operator op##=(T& a, floating_operand<F> x) {                       \
        if constexpr (std::is_integral_v<T>)                                         \
            a = cast_to<std::remove_volatile_t<T>>(a op x.value);                    \
        else                                                                         \
            a op## = x.value;                                                        \
        return a;                                                                    \
    }
CUSET_HOST_CONVERTED(+)
CUSET_HOST_CONVERTED(-)
CUSET_HOST_CONVERTED(*)
CUSET_HOST_CONVERTED(/)
#undef CUSET_HOST_CONVERTED

}  // namespace cuset_host
