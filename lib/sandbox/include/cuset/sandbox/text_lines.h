// Lines of what programs and compilers print. All are views into the text.
#pragma once

#include <algorithm>
#include <string_view>

namespace cuset {

/// Takes the first line off `text`, and returns it without its newline.
inline std::string_view take_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
}

inline std::string_view first_line(std::string_view text) { return take_line(text); }

/// The last line that holds more than blanks, without the blanks at its end; empty if there is
/// none.
inline std::string_view last_line(std::string_view text) {
    const std::size_t end = text.find_last_not_of(" \t\r\n");
    if (end == text.npos) return {};
    text = text.substr(0, end + 1);
    const std::size_t before = text.rfind('\n');
    return before == text.npos ? text : text.substr(before + 1);
}

}  // namespace cuset
