// cuset-report --table: several conditions and seeds in one report.
#pragma once

#include <string>

#include "cuset/base/status.h"
#include "cuset/judge/condition_table.h"
#include "cuset/stream/output.h"
#include "flags.h"
#include "report_table.h"

namespace cuset {

/// Reads the conditions that the operands name, and writes the table and the drawing.
status write_condition_table(const report_flags& flags, output& out);

/// The report: what was counted over what, then rates, differences from the baseline and kinds of
/// failure.
std::string to_report(const condition_table& table, table_form form);

/// TSV: a heading, then a line for each condition and measure; kinds of failure are measures
/// "failure:NAME". NA stands where something is not defined.
std::string to_tsv(const condition_table& table);

/// A drawing of a measure over the parameters that conditions named "PARAMETER=NUMBER" or
/// "PARAMETER@NUMBER" sweep: a panel for each parameter, with intervals, and the baseline as a
/// dashed line. A usage error if no condition is named so, or if none has the measure.
result<std::string> to_svg(const condition_table& table, const std::string& measure);

}  // namespace cuset
