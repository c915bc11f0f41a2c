// The page of an evaluation: --html.
#pragma once

#include <cstddef>

#include "cuset/base/status.h"
#include "cuset/stream/stream_options.h"
#include "flags.h"
#include "tool.h"

namespace cuset {

/// Sets `unjudged` to the number of candidates that the evaluator itself failed on.
result<stream_summary> write_page(const report_flags& flags, output& out, std::size_t& unjudged);

}  // namespace cuset
