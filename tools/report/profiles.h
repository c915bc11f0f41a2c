// How near answers come to the GPU's roofline: cuset-report --profile.
#pragma once

#include "cuset/base/status.h"
#include "cuset/stream/output.h"
#include "flags.h"

namespace cuset {

/// Reads the verdicts of the FILEs and writes CUDABench's mean scores. A data error where no
/// verdict has a profile.
status report_profiles(const report_flags& flags, output& out);

}  // namespace cuset
