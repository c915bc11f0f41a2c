// How fast right answers are: cuset-report --fast and --profile.
#pragma once

#include "cuset/base/status.h"
#include "cuset/stream/output.h"
#include "flags.h"

namespace cuset {

/// Reads the verdicts of the FILEs and writes fast_p and the mean speed-up. A data error where no
/// verdict has a time.
status report_fast(const report_flags& flags, output& out);

/// The same with CUDABench's mean scores, how near answers come to the GPU's roofline. A data error
/// where no verdict has a profile.
status report_profiles(const report_flags& flags, output& out);

}  // namespace cuset
