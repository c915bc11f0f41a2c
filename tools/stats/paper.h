// The quantities of CuSeT's figures 1 and 2 under each reading, for cuset-stats --paper.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuset/region/confidence_summary.h"
#include "report_table.h"

namespace cuset {

/// The readings that are shown, with the rest as in `common`.
std::vector<stats_reading> readings_of_paper(const stats_reading& common);

/// `statistics` are those of the readings, which keep windows; the call changes them.
std::string paper_text(const std::string& input, std::size_t size,
                       const std::vector<stats_reading>& readings,
                       std::vector<confidence_statistics>& statistics,
                       std::optional<double> threshold, table_form form);

}  // namespace cuset
