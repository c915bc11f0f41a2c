// The code of a response as rows of a terminal: wrapped, safe, and coloured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuset/view/terminal_view.h"

namespace cuset {

struct code_row {
    std::string text;  ///< ends without colours
    std::size_t columns = 0;
    /// A character for each column: a role's letter where a run of it begins in the row, - where it
    /// goes on, else a blank. Empty if no column has a role.
    std::string roles;
};

/// Where something stands in the rows.
struct row_place {
    std::size_t line = 0, row = 0, column = 0;
};

struct code_rows {
    std::vector<std::vector<code_row>> lines;  ///< one or more for each line of the layout
    std::optional<row_place> begin, last;      ///< the first and last character of the frame
};

/// The escape codes that begin a text on this shade; empty without colours.
std::string start_of(const shade& s, color_depth depth);
inline constexpr const char* end_of_shade = "\x1b[0m";

/// `width`: columns for code, 0 for any number. `frame`: bytes.
code_rows make_rows(const scored_text& text, const text_layout& layout, const byte_range& frame,
                    const terminal_style& style, std::size_t width);

}  // namespace cuset
