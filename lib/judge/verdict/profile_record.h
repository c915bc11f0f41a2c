// The part of a verdict's record that has a profile. Private to lib/judge.
#pragma once

#include <simdjson.h>

#include "cuset/base/status.h"
#include "cuset/judge/program_profile.h"

namespace cuset {

/// What write_profile() has written; a data error where it is something else, such as a score below
/// 0.
result<program_profile> read_profile(simdjson::dom::element json);

}  // namespace cuset
