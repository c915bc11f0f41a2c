// Reads arrays of numbers without a token for each number: they are four fifths of a scored record.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>

namespace cuset {

/// Checks only that a value is a number.
struct any_number {};

namespace number_array {

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

inline const char* skip_blank(const char* at) {
    while (*at == ' ' || *at == '\t' || *at == '\r') ++at;
    return at;
}

// Appends digits to `value`. Overflow is not noticed: the caller counts the digits.
inline const char* take_digits(const char* at, std::uint64_t& value) {
    for (; is_digit(*at); ++at) value = 10 * value + static_cast<std::uint64_t>(*at - '0');
    return at;
}

/// Reads the JSON number at `at` and returns its end; null if it is no number, or none of this
/// type.
inline const char* read(const char* at, std::uint64_t& out) {
    const char* const first = at;
    out = 0;
    at = take_digits(at, out);
    const auto digits = at - first;
    if (digits == 0 || digits > 19 || (digits > 1 && *first == '0')) return nullptr;
    return *at == '.' || (*at | 0x20) == 'e' ? nullptr : at;
}

inline const char* read(const char* at, double& out) {
    const char* const start = at;
    const bool negative = *at == '-';
    at += negative;
    std::uint64_t digits = 0;
    const char* const first = at;
    at = take_digits(at, digits);
    if (at == first || (at - first > 1 && *first == '0')) return nullptr;
    auto count = at - first;
    std::int64_t exponent = 0;
    if (*at == '.') {
        const char* const fraction = ++at;
        at = take_digits(at, digits);
        if (at == fraction) return nullptr;
        exponent = fraction - at;
        count += at - fraction;
    }
    if ((*at | 0x20) == 'e') {
        ++at;
        const bool down = *at == '-';
        at += down || *at == '+';
        const char* const power = at;
        std::uint64_t value = 0;
        at = take_digits(at, value);
        if (at == power) return nullptr;
        // Longer exponents are left to from_chars, whatever `value` has become.
        const std::int64_t size = at - power > 4 ? 99999 : static_cast<std::int64_t>(value);
        exponent += down ? -size : size;
    }
    // Clinger's method: both doubles are exact, so that one operation rounds once, and correctly.
    static constexpr std::array<double, 23> ten_to = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (count <= 19 && digits <= (std::uint64_t{1} << 53) && exponent >= -22 && exponent <= 22) {
        const auto whole = static_cast<double>(digits);
        out = exponent < 0 ? whole / ten_to[static_cast<std::size_t>(-exponent)]
                           : whole * ten_to[static_cast<std::size_t>(exponent)];
        if (negative) out = -out;
        return at;
    }
    const auto parsed = std::from_chars(start, at, out);
    if (parsed.ec == std::errc{}) return at;
    // Out of range: a number too small for a double is 0; one too large is refused.
    if (count + exponent > 0) return nullptr;
    out = 0;
    return at;
}

inline const char* read(const char* at, any_number&) {
    at += *at == '-';
    const char* const first = at;
    while (is_digit(*at)) ++at;
    if (at == first || (at - first > 1 && *first == '0')) return nullptr;
    if (*at == '.') {
        const char* const fraction = ++at;
        while (is_digit(*at)) ++at;
        if (at == fraction) return nullptr;
    }
    if ((*at | 0x20) == 'e') {
        ++at;
        at += *at == '-' || *at == '+';
        const char* const power = at;
        while (is_digit(*at)) ++at;
        if (at == power) return nullptr;
    }
    return at;
}

}  // namespace number_array

/// Reads the array at `at` and calls take(number) for each element. Returns true for an array of
/// such numbers and nothing else, and false (perhaps after some calls) for anything else, valid
/// JSON or not. After the array there must be a byte that belongs to no number, such as the closing
/// brace of the line's object.
template <class Number, class Take>
bool read_number_array(const char* at, Take take) {
    using namespace number_array;
    if (*at != '[') return false;
    at = skip_blank(at + 1);
    if (*at == ']') return true;
    for (;;) {
        Number number{};
        at = number_array::read(at, number);
        if (!at) return false;
        take(number);
        at = skip_blank(at);
        if (*at == ']') return true;
        if (*at != ',') return false;
        at = skip_blank(at + 1);
    }
}

}  // namespace cuset
