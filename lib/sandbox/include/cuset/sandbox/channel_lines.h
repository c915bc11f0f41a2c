// Lines that came over a program's channel (run_report::channel_output).
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cuset {

/// Calls visit(rest) for each whole line that begins with `word`, until it returns false.
template <class Visit>
void for_lines_of(std::string_view output, std::string_view word, const Visit& visit) {
    for (std::size_t end; (end = output.find('\n')) != output.npos; output.remove_prefix(end + 1)) {
        const std::string_view line = output.substr(0, end);
        if (line.starts_with(word) && !visit(line.substr(word.size()))) return;
    }
}

/// The first such rest; nothing if there is none.
inline std::optional<std::string_view> first_of(std::string_view output, std::string_view word) {
    std::optional<std::string_view> found;
    for_lines_of(output, word, [&](std::string_view rest) {
        found = rest;
        return false;
    });
    return found;
}

/// The largest number after `word`, since each process that a program starts counts for itself;
/// nothing if there is none.
inline std::optional<std::uint64_t> most_of(std::string_view output, std::string_view word) {
    std::optional<std::uint64_t> most;
    for_lines_of(output, word, [&](std::string_view rest) {
        std::uint64_t count = 0;
        if (std::from_chars(rest.data(), rest.data() + rest.size(), count).ec == std::errc())
            most = std::max(most.value_or(0), count);
        return true;
    });
    return most;
}

}  // namespace cuset
