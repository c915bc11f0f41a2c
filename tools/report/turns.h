// Pass by turn, serial against parallel: cuset-report --turns.
#pragma once

#include <cstddef>

#include "cuset/base/status.h"
#include "cuset/stream/output.h"
#include "flags.h"

namespace cuset {

/// Reads the FILEs, each the verdicts of one turn, and writes the report. Sets `unjudged` to the
/// number of answers that the evaluator itself failed on.
status report_turns(const report_flags& flags, output& out, std::size_t& unjudged);

}  // namespace cuset
