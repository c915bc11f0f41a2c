// How many answers are right and faster than bench.cu: cuset-report --fast.
#pragma once

#include "cuset/base/status.h"
#include "cuset/stream/output.h"
#include "flags.h"

namespace cuset {

/// Reads the verdicts of the FILEs and writes fast_p and the mean speed-up. A data error where no
/// verdict has a time.
status report_fast(const report_flags& flags, output& out);

}  // namespace cuset
