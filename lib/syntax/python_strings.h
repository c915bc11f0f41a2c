// The string literals of Python source, as the code they stand for.
//
// A scan written by hand, not the Python grammar. The end of a literal can be found without a
// grammar; the result must stay the same if the text around it is broken or cut off (the grammar
// then gives up the whole string); and a second parse would cost time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cuset::syntax {

/// Literals that Python joins into one string (adjacent, or with +), decoded.
struct python_code {
    /// Escapes are decoded, except a newline inside a C++ string, which nobody intends. In
    /// f-strings, doubled braces become single ones, and a replacement field becomes the last word
    /// of its expression, or _.
    std::string text;

    /// Source offsets of byte i of `text`: begin and end of the source bytes that it was decoded
    /// from.
    std::size_t source_begin(std::size_t i) const { return at(i, false); }
    std::size_t source_end(std::size_t i) const { return at(i, true); }

    /// The bytes of text from `decoded` on. If `end` is 0, they come one by one from `begin` on,
    /// else all of them from [begin, end).
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
/// `position` past them; false if there are no more. Offsets are into `source`.
bool next_python_code(std::string_view source, python_position& position, python_code& out);

/// A string literal, prefix and quotes included.
struct python_literal {
    std::size_t begin = 0, end = 0;
    std::size_t content = 0, content_end = 0;  ///< between the quotes
    bool raw = false, format = false, triple = false, closed = false;
    char quote = '"';
};

/// Reads the next literal likewise, without joining and decoding it. One that begins at `limit` or
/// behind it is not looked for: false then, and `position` is at `limit` or behind it.
bool next_python_literal(std::string_view source, python_position& position, python_literal& out,
                         std::size_t limit = std::string_view::npos);

}  // namespace cuset::syntax
