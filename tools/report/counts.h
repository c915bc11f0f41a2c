// How well answers to questions about counts hit them: cuset-report --counts.
#pragma once

#include "cuset/base/status.h"
#include "cuset/stream/output.h"
#include "flags.h"

namespace cuset {

/// Reads the verdicts of the FILEs and writes a table of scores. A data error where none of them is
/// on a task whose answer is a number.
status report_counts(const report_flags& flags, output& out);

}  // namespace cuset
