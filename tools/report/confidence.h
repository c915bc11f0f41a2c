// How well confidence foretells verdicts: cuset-report --by-confidence.
#pragma once

#include "cuset/base/status.h"
#include "cuset/stream/output.h"
#include "cuset/stream/record_filter.h"
#include "flags.h"

namespace cuset {

/// Reads the candidates of the FILEs, which must have scores, and the verdicts on them of
/// --verdicts, and writes the report.
result<stream_summary> report_confidence(const report_flags& flags, output& out);

}  // namespace cuset
