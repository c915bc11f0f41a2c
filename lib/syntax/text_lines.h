// Lines of a text and their blanks.
#pragma once

#include <cstddef>
#include <string_view>

namespace cuset::syntax {

inline std::string_view trim(std::string_view s) {
    constexpr std::string_view blanks = " \t\r\n\f\v";
    const std::size_t first = s.find_first_not_of(blanks);
    if (first == s.npos) return {};
    return s.substr(first, s.find_last_not_of(blanks) - first + 1);
}

/// The line that begins at `begin`, without its newline.
inline std::string_view line_at(std::string_view text, std::size_t begin) {
    return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace cuset::syntax
