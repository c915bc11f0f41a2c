// The report of cuset-stats on its inputs, side by side.
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
    std::size_t size = 0;   ///< tokens in a window
    stats_reading reading;  ///< how tokens were counted
    window_choice windows = window_choice::hardest;
    std::vector<stats_column> columns;
};

/// The report for people: a table with a column for each input.
std::string to_text(const stats_report& report);
/// TSV: a heading, then a line for each figure with a column for each input; NA if it is not
/// defined.
std::string to_tsv(const stats_report& report);
/// JSON: one object on one line; null if a figure is not defined. Numbers have 15 significant
/// digits.
std::string to_json(const stats_report& report);
/// A drawing of the densities and the cumulative distributions, one input below the other.
std::string to_svg(const stats_report& report);

/// A mean difference with its interval: "-0.0653" and "-0.0801 to -0.0504".
std::string shown_difference(double difference);
std::string shown_interval(const mean_difference& difference);

/// A text of more than `most` bytes is shortened to its end, which tells files apart, after three
/// dots.
std::string end_of(const std::string& text, std::size_t most);
/// 10^log10 with two digits, such as "4.6e-39", of any size.
std::string power_of_ten(double log10);

}  // namespace cuset
