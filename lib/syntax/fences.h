// Fenced code blocks of Markdown.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace cuset::syntax {

/// A fenced code block: its content, without the lines of the fence.
struct fence {
    std::size_t begin, end;  ///< the content; to the end of the text if the fence is not closed
    std::string_view info;   ///< the info string, trimmed
};

/// The fences of a Markdown text. CommonMark's rules hold (three or more backticks or tildes;
/// closed by at least as many of the same), but fences may be indented by any amount and follow
/// list markers, since models nest lists without care. `from` is the start of a line.
std::vector<fence> find_fences(std::string_view text, std::size_t from = 0);

/// The start of the first line, at or after `from`, that opens a fence; npos if there is none.
/// `from` is the start of a line.
std::size_t find_fence_line(std::string_view text, std::size_t from);

}  // namespace cuset::syntax
