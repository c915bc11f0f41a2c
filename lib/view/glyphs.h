// The characters of a text as a terminal may be given them: none that moves its cursor, changes its
// state or hides what is there, and each with the columns that it takes.
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

/// Widths are the C library's in UTF-8, whatever the program's locale is: one object to a thread
/// that asks, and while it lives the thread's locale is C.UTF-8.
class glyph_reader {
public:
    glyph_reader();
    glyph_reader(const glyph_reader&) = delete;
    glyph_reader& operator=(const glyph_reader&) = delete;
    ~glyph_reader();

    /// The character at text[at], and moves `at` behind it. Tabs end at a multiple of tab_width;
    /// `column` is where this one stands. Control characters are their pictures (␛), and what a
    /// terminal hides or takes for an order (C1 controls, marks of direction, joiners) is <U+202E>.
    glyph next(std::string_view text, std::size_t& at, std::size_t column) const;

private:
    locale_t utf8_, before_;
};

/// The whole text, for a line of its own.
std::string safe_text(std::string_view text, const glyph_reader& reader);

}  // namespace cuset
