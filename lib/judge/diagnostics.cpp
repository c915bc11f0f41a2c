#include "diagnostics.h"

#include <algorithm>
#include <initializer_list>

namespace cuset {

namespace {

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return text.find(word) != text.npos; });
}

/// Calls visit(line) until it returns true.
template <class Visit>
void for_lines(std::string_view text, const Visit& visit) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (visit(text.substr(0, end))) return;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

}  // namespace

compile_end failure_of(std::string_view said) {
    const bool link =
        has_any(said, {"undefined reference to", "multiple definition of", "ld returned",
                       "nvlink error", "nvlink fatal", "cannot find -l"});
    return link ? compile_end::link_error : compile_end::error;
}

bool ran_out(std::string_view said) {
    return has_any(said, {"Killed signal", "died due to signal", "Cannot allocate memory",
                          "virtual memory exhausted", "out of memory", "No space left on device",
                          "quota exceeded"});
}

std::string first_diagnostic(std::string_view said) {
    constexpr std::size_t longest = 300;
    std::string_view found, first;
    for_lines(said, [&](std::string_view line) {
        if (line.find_first_not_of(" \t\r") == line.npos) return false;
        if (first.empty()) first = line;
        // EDG "error:", GCC "error:", ptxas "error   :", nvcc "fatal   :", and the linker.
        if (has_any(line, {"error:", "error :", "error   :", "error #", "fatal",
                           "undefined reference", "multiple definition", "cannot find -l"}))
            found = line;
        return !found.empty();
    });
    return std::string((found.empty() ? first : found).substr(0, longest));
}

}  // namespace cuset
