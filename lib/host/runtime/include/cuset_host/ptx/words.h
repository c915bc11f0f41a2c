// Registers of inline PTX: words of 64 bits, of which an instruction reads the low bits as its
// type.
#pragma once

#include <cstdint>
#include <type_traits>

namespace cuset_host::ptx {

using word = std::uint64_t;

template <class T>
inline T value_of(word bits) {
    if constexpr (std::is_same_v<T, bool>) {
        return bits != 0;
    } else {
        T value;
        __builtin_memcpy(&value, &bits, sizeof value);
        return value;
    }
}
template <class T>
inline word bits(T value) {
    word made = 0;
    __builtin_memcpy(&made, &value, sizeof value);
    return made;
}
/// What a narrower value becomes in a wider register: signed integers are extended by their sign.
template <class T>
inline word extended(T value) {
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>)
        return static_cast<word>(static_cast<long long>(value));
    else
        return bits(value);
}
inline word low(word value, int width) {
    return width == 64 ? value : value & ((word{1} << width) - 1);
}

/// The word of an operand with that constraint.
template <char Constraint, class T>
inline word taken(const T& value) {
    if constexpr (std::is_pointer_v<T>) {
        return reinterpret_cast<word>(value);
    } else if constexpr (std::is_array_v<T>) {
        return reinterpret_cast<word>(&value[0]);
    } else if constexpr (Constraint == 'f' && std::is_arithmetic_v<T>) {
        return bits(static_cast<float>(value));
    } else if constexpr (Constraint == 'd' && std::is_arithmetic_v<T>) {
        return bits(static_cast<double>(value));
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
        const word wide = static_cast<word>(static_cast<long long>(value));
        return Constraint == 'r' ? low(wide, 32) : Constraint == 'h' ? low(wide, 16) : wide;
    } else {
        return bits(value);
    }
}
template <class T>
inline void give(word value, T&& to) {
    using V = std::decay_t<T>;
    to = value_of<V>(value);
}

}  // namespace cuset_host::ptx
