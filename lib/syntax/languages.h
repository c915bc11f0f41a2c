// Telling the language of a text by its lines.
#pragma once

#include <cstddef>
#include <string_view>

namespace cuset::syntax {

enum class host_language : unsigned char { cpp, python, none };

/// The language by the first line that says one, none if no line does; up to `most_lines` that say
/// nothing are passed over. `prose`: the lines may as well be sentences, so only those count that
/// no sentence looks like.
///
/// A guess: a line such as `BLOCK = 256` is Python, and may begin CUDA code all the same.
host_language language_of_lines(std::string_view text, std::size_t most_lines, bool prose = false);

/// The language of a fence: Python by its info string (py, python, …) or where that says C++ or
/// nothing and the first lines say Python; none if the info string names another language (bash,
/// json, …) and `__global__` is nowhere in it.
host_language language_of_fence(std::string_view content, std::string_view info);

}  // namespace cuset::syntax
