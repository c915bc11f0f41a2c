// Comments and strings over several lines, in text that may be code or prose. They tell whether a
// fence line of a plain source file lies in one.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "languages.h"
#include "python_strings.h"

namespace cuset::syntax {

/// A block comment, a raw, triple-quoted or continued string, a continued line comment, or the
/// branch of an `#if 0`.
struct enclosure {
    std::size_t begin, end;
};

/// Reads the text as code of one language, C++ or Python. If the text is not known to be code, an
/// enclosure must not look like prose: it must be closed, and before it on its line there must be
/// nothing, or something that code has there. So `src/*.cu` begins no comment.
class enclosure_reader {
public:
    enclosure_reader(std::string_view text, host_language language, bool is_code)
        : text_(text), language_(language), is_code_(is_code) {}

    /// The enclosure around the byte at `offset`, if any. Offsets must not decrease.
    std::optional<enclosure> around(std::size_t offset);

private:
    // Finds the next one that begins before `limit`, where a line begins.
    bool next_cpp(std::size_t limit);
    bool next_python(std::size_t limit);
    bool take(std::size_t begin, std::size_t end, bool closed);
    char byte_before(std::size_t at) const;
    bool can_hold_string(std::size_t begin) const;

    std::string_view text_;
    host_language language_;
    bool is_code_;
    python_position position_;  // the scan's position; C++ has no depth
    std::optional<enclosure> last_;
    std::size_t unclosed_ = 0;  // unclosed ones so far: a limit keeps hostile text linear
};

}  // namespace cuset::syntax
