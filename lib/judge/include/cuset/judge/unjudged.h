// Candidates that the evaluator itself failed on: gen.py, compare.py or the machine.
#pragma once

#include <cstddef>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/report.h"
#include "cuset/judge/verdict.h"

namespace cuset {

/// Warns of such candidates, with the names of their tasks, and returns their number. A data error
/// if the report has no verdict, or if none of its programs could be judged: its rates would come
/// from nothing.
result<std::size_t> warn_of_unjudged(const evaluation_report& report,
                                     const std::vector<verdict>& verdicts);

}  // namespace cuset
