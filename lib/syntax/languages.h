// Recognises the language of a text by its lines.
#pragma once

#include <cstddef>
#include <string_view>

namespace cuset::syntax {

enum class host_language : unsigned char { cpp, python, none };

/// The language of the first line that shows one; none if no line does. Up to `most_lines` lines
/// that show none are skipped. If `prose` is set, lines may be sentences, so only lines that no
/// sentence looks like count.
///
/// This is a guess: a line such as `BLOCK = 256` counts as Python, but may also begin CUDA code.
host_language language_of_lines(std::string_view text, std::size_t most_lines, bool prose = false);

/// The language of a fence. It is Python if the info string says so (py, python, …), or if the info
/// string says C++ or nothing and the first lines are Python. It is none if the info string names
/// another language (bash, json, …) and the content has no `__global__`.
host_language language_of_fence(std::string_view content, std::string_view info);

}  // namespace cuset::syntax
