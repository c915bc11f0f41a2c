// The string literals of Python source, as the code they stand for.
//
// A hand-written scan and not the Python grammar: where a literal ends takes no grammar, the answer
// must not change where the text around is broken or cut off (the grammar then gives up the whole
// string), and it costs no second parse.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cuset::syntax {

/// Literals that Python joins into one string (side by side, or with +), decoded.
struct python_code {
    /// Escapes are decoded, save a newline inside a C++ string, which nobody means; doubled braces
    /// and replacement fields of f-strings are single braces and the expression's last word, or _.
    std::string text;

    /// Offsets of the source for byte i of `text`: where what it was decoded from begins and ends.
    std::size_t source_begin(std::size_t i) const { return at(i, false); }
    std::size_t source_end(std::size_t i) const { return at(i, true); }

    /// From `decoded` on, bytes of text come from `begin`, byte by byte if end is 0, else all of
    /// them from [begin, end).
    struct segment {
        std::size_t decoded, begin, end;
    };
    std::vector<segment> segments;

private:
    std::size_t at(std::size_t i, bool end) const;
};

struct python_position {
    std::size_t offset = 0;
    std::size_t depth = 0;  ///< of brackets: inside them a newline does not end a statement
};

/// Reads the next joined literals at or after `position` of `source` into `out` and moves
/// `position` past them; false where there are no more. Offsets are into `source`.
bool next_python_code(std::string_view source, python_position& position, python_code& out);

/// A string literal, prefix and quotes included.
struct python_literal {
    std::size_t begin, end;
    std::size_t content;  ///< after the opening quotes
    bool triple, closed;
};

/// Reads the next literal likewise, without joining and decoding it.
bool next_python_literal(std::string_view source, python_position& position, python_literal& out);

}  // namespace cuset::syntax
