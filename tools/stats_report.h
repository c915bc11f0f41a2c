// What cuset-stats prints of its inputs, side by side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuset/region/confidence_summary.h"

namespace cuset {

struct stats_column {
    std::string input;  ///< its name, visible_text()
    confidence_summary summary;
};

struct stats_report {
    std::size_t size = 0;  ///< tokens in a window
    std::vector<stats_column> columns;
};

/// For people: a table with a column for each input.
std::string to_text(const stats_report& report);
/// A line for each figure, a column for each input, a heading; NA where a figure is not defined.
std::string to_tsv(const stats_report& report);
/// One object, one line; null where a figure is not defined. Numbers have 15 significant digits.
std::string to_json(const stats_report& report);
/// A drawing of the densities and the cumulative distributions, an input below the other.
std::string to_svg(const stats_report& report);

/// Of a text longer than `most` bytes the end, which tells files apart, behind three dots.
std::string end_of(const std::string& text, std::size_t most);
/// 10^log10 with two digits, as "4.6e-39", at any size.
std::string power_of_ten(double log10);

}  // namespace cuset
