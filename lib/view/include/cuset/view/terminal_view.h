// A scored response as text for a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "cuset/view/color_scale.h"
#include "cuset/view/scored_text.h"

namespace cuset {

enum class color_depth : unsigned char {
    none,     ///< no escape codes at all
    indexed,  ///< xterm's 256 colours
    direct,   ///< 24 bits
};

struct terminal_style {
    color_depth colors = color_depth::none;
    background theme = background::dark;
    std::size_t width = 0;       ///< columns that lines are wrapped at; 0: never
    std::size_t smoothing = 16;  ///< tokens that a value of the sparkline is the mean of
};

/// What the colours mean: one line, empty without colours. `compared`: of two models.
std::string legend(const terminal_style& style, bool compared);

/// Appends a title, the spans, and the code: to each line its number, its smoothed confidences as a
/// sparkline (one column for a token, eight at most), with two models the mean change, marks of the
/// kernels and launches that it lies in, and the hardest window in a frame, whose arrows stand
/// where it begins and ends. Nothing of the record reaches a terminal as an order (see glyphs.h).
void append_view(const scored_text& text, const terminal_style& style, std::string& out);

}  // namespace cuset
