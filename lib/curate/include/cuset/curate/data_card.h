// The page that goes with a data set, in the form of Hugging Face's Hub: a README.md that begins
// with YAML.
#pragma once

#include <string>
#include <vector>

#include "cuset/curate/curation.h"

namespace cuset {

struct card_options {
    std::string version;                  ///< of cuset
    std::vector<std::string> command;     ///< the words that made the data
    std::vector<std::string> benchmarks;  ///< files that were screened against
    std::uint64_t benchmark_tasks = 0;
};

/// The licence in the YAML is that of all programs, where they name one and the Hub knows it;
/// "unknown" where none names one; else "other".
std::string data_card(const curation_counts& counts, const card_options& options);

}  // namespace cuset
