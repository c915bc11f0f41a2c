// The options of cuset-report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "counting_flags.h"
#include "cuset/base/status.h"
#include "cuset/cli/option_table.h"

namespace cuset {

struct report_flags {
    stream_flags stream;
    counting_flags counting;
    std::string tasks;
    bool compare = false, table = false, by_confidence = false, turns = false, costs = false,
         counts = false, fast = false, profile = false;
    std::string show, html;
    std::string verdicts, fence = "first";                                  ///< of candidates
    std::int64_t size = 256;                                                ///< of --by-confidence
    std::string baseline, format = "text", family, figures, plot, measure;  ///< of --table
    bool common = false;
};

/// The paragraphs of the man page's description.
std::vector<std::string> report_description();

program describe(report_flags& flags);

/// Where the report goes: to the file of --html, or that of -o.
std::string output_path(const report_flags& flags);

/// Checks what the parser cannot.
status check(const report_flags& flags);

}  // namespace cuset
