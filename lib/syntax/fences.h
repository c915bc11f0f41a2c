// Fenced code blocks of Markdown.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace cuset::syntax {

/// A fenced code block: its content, without the lines of the fence.
struct fence {
    std::size_t line;        ///< where the opening line begins
    std::size_t begin, end;  ///< the content; to the end of the text where the fence is not closed
    std::size_t after;       ///< after the closing line
    std::string_view info;   ///< the info string, trimmed
};

/// The fences of a Markdown text by CommonMark's rules (three or more backticks or tildes; closed
/// by as many or more of the same), but at any indentation and after list markers, since models
/// nest lists without care. `from` is the start of a line.
std::vector<fence> find_fences(std::string_view text, std::size_t from = 0);

/// Where the first line at or after `from`, the start of a line, begins that opens a fence; npos if
/// none does.
std::size_t find_fence_line(std::string_view text, std::size_t from);

}  // namespace cuset::syntax
