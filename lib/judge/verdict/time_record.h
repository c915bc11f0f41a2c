// The part of a verdict's record that has times. Private to lib/judge.
#pragma once

#include <simdjson.h>

#include "cuset/base/status.h"
#include "cuset/judge/program_time.h"

namespace cuset {

/// What write_time() has written; a data error where it is something else, such as a speed-up that
/// is not above 0.
result<program_time> read_time(simdjson::dom::element json);

}  // namespace cuset
