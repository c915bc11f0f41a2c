// The last words of a program. Private to lib/judge.
#pragma once

#include <string_view>

namespace cuset {

/// The last line of `text` that holds more than blanks, without the blanks at its end; empty if
/// there is none. A view into `text`.
inline std::string_view last_line(std::string_view text) {
    const std::size_t end = text.find_last_not_of(" \t\r\n");
    if (end == text.npos) return {};
    text = text.substr(0, end + 1);
    const std::size_t before = text.rfind('\n');
    return before == text.npos ? text : text.substr(before + 1);
}

}  // namespace cuset
