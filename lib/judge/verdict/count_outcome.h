// The part of a verdict's record that is of an answer to a question about counts. Private to
// lib/judge.
#pragma once

#include <simdjson.h>

#include "cuset/base/status.h"
#include "cuset/judge/verdict.h"

namespace cuset {

/// What write_count() has written; a data error where it is something else.
result<count_outcome> read_count(simdjson::dom::element json);

}  // namespace cuset
