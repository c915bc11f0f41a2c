// The characters of a text in a form that is safe for a terminal: none moves the cursor, changes
// the terminal's state or hides text, and each comes with the columns that it takes.
#pragma once

#include <clocale>
#include <cstddef>
#include <string>
#include <string_view>

namespace cuset {

struct glyph {
    std::string text;         ///< what is printed
    std::size_t columns = 0;  ///< 0 for a mark on the character before
};

inline constexpr std::size_t tab_width = 4;

/// Widths are those of the C library in UTF-8, in any locale of the program. Each thread needs its
/// own object; while the object lives, that thread's locale is C.UTF-8.
class glyph_reader {
public:
    glyph_reader();
    glyph_reader(const glyph_reader&) = delete;
    glyph_reader& operator=(const glyph_reader&) = delete;
    ~glyph_reader();

    /// Returns the character at text[at] and moves `at` past it. Tabs end at a multiple of
    /// tab_width; `column` is the column of this character. Control characters become their
    /// pictures (␛). Characters that a terminal hides or obeys (C1 controls, marks of direction,
    /// joiners) become <U+202E>.
    glyph next(std::string_view text, std::size_t& at, std::size_t column) const;

private:
    locale_t utf8_, before_;
};

/// The whole text, on a line of its own.
std::string safe_text(std::string_view text, const glyph_reader& reader);

}  // namespace cuset
