// The report of cuset-stats on its inputs, side by side.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cuset/region/confidence_summary.h"
#include "report_table.h"

namespace cuset {

struct stats_column {
    std::string input;  ///< its name or label, visible_text()
    confidence_summary summary;
};

struct stats_report {
    std::size_t size = 0;   ///< tokens in a window
    stats_reading reading;  ///< how tokens were counted
    window_choice windows = window_choice::hardest;
    std::vector<stats_column> columns;
};

/// A set of tokens that the report has figures of.
struct named_tokens {
    const char* name;
    const token_summary& (*get)(const confidence_summary&);
};
/// With roles as the reading, kernel and launch tokens are left out.
std::span<const named_tokens> tokens_of(const stats_report& report);

/// The means that inputs are compared by.
struct named_pair {
    const char* name;
    paired_mean paired_summary::*get;
};
inline constexpr std::array<named_pair, 4> paired_means{{
    {"sensitive", &paired_summary::sensitive},
    {"neutral", &paired_summary::neutral},
    {"all", &paired_summary::all},
    {"hardest_window", &paired_summary::hardest},
}};

/// NaN of nothing.
double share_of(std::uint64_t part, std::uint64_t whole);

/// The report for people: tables with a column or a row for each input.
std::string to_text(const stats_report& report, table_form form);
/// TSV: a heading, then a line for each figure with a column for each input; NA if it is not
/// defined.
std::string to_tsv(const stats_report& report);
/// JSON: one object on one line; null if a figure is not defined. Numbers have 15 significant
/// digits.
std::string to_json(const stats_report& report);
/// A drawing of the densities and the cumulative distributions, one input below the other.
std::string to_svg(const stats_report& report);

/// "spans, comments where they stand": what makes a token CUDA-sensitive.
std::string name_of(const stats_reading& reading);
/// A title before a table, and the table.
void append_table(const std::string& title, const report_table& table, std::size_t left,
                  table_form form, std::string& out);

/// "0.6294", or "-" for NaN; "36.79 %"; "66 of 100".
std::string shown_confidence(double confidence);
std::string shown_percent(double share);
std::string shown_part(std::uint64_t part, std::uint64_t whole);
/// A mean difference with its interval: "-0.0653" and "-0.0801 to -0.0504".
std::string shown_difference(double difference);
std::string shown_interval(const mean_difference& difference);

/// A text of more than `most` bytes is shortened to its end, which tells files apart, after three
/// dots.
std::string end_of(const std::string& text, std::size_t most);
/// 10^log10 with two digits, such as "4.6e-39", of any size.
std::string power_of_ten(double log10);

}  // namespace cuset
