// Which parts of a text are code, and in what language: Markdown fences and telling Python from
// C++.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "cuset/syntax/tagger.h"

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
/// nest lists without care.
std::vector<fence> find_fences(std::string_view text, std::size_t from = 0);

enum class host_language : unsigned char { cpp, python, none };

/// A part of the text that is code.
struct region {
    std::size_t begin, end;
    host_language language;
};

/// The regions of code, in order.
///
/// Automatic: without a fence, all of the text. With fences, their contents, save that a text which
/// begins with a line of code is all code if its first fence line lies in a comment or string, and
/// code up to that line if it is bare (the answer to a prompt that ended in an opening fence). A
/// fence is Python by its info string (py, python, …) or where that says C++ or nothing and the
/// first lines say Python; it is left out if the info string names another language (bash, json, …)
/// and `__global__` is nowhere in it. A fence called markdown or md is read as Markdown.
std::vector<region> find_regions(std::string_view text, source_language lang);

}  // namespace cuset::syntax
