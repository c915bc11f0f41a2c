// A scored response as text for a terminal.
#pragma once

#include <cstddef>
#include <optional>
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
    std::size_t width = 0;       ///< lines are wrapped at so many columns; 0: never
    std::size_t smoothing = 16;  ///< each value of the sparkline is the mean of as many tokens
    std::optional<std::size_t> context = {};  ///< see shown_lines()
    role_set roles = {};                      ///< those that the legend explains
};

/// A line that explains the colours, if there are any, and one for the roles, if there are any.
/// `compared`: of two models.
std::string legend(const terminal_style& style, bool compared);

/// Appends a title, the spans, and the code. Each line has its number; its smoothed confidences as
/// a sparkline (one column for a token, eight at most); with two models the mean change; and marks
/// of the kernels and launches that it lies in. The hardest window is in a frame, whose arrows
/// stand where the window begins and ends. Lines that are not shown are counted. Under the code, a
/// role's letter stands where a run of that role begins, and a line under the rest of the run. No
/// text of the record is a command to the terminal (see glyphs.h).
void append_view(const scored_text& text, const terminal_style& style, std::string& out);

}  // namespace cuset
