// What the programs that passed cost: cuset-report --costs.
#pragma once

#include "cuset/base/status.h"
#include "cuset/stream/output.h"
#include "flags.h"

namespace cuset {

/// Reads the verdicts of the FILEs and writes a line for each that was counted, in their order,
/// behind a line of names. A data error where none was.
status report_costs(const report_flags& flags, output& out);

}  // namespace cuset
