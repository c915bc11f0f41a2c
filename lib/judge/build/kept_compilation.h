// Results of compilers in the cache, from one evaluation to the next. Private to lib/judge.
#pragma once

#include <optional>
#include <string_view>

#include "cuset/base/status.h"
#include "cuset/judge/compiler.h"
#include "cuset/sandbox/entry_cache.h"

namespace cuset {

/// The entry of a key, if it exists and is whole. It is held as long as the result lives.
std::optional<compilation> find_compilation(const entry_cache& cache, std::string_view key);

/// Makes an entry of a result that is not `limited`, with a copy of its program, and points the
/// result to it, which then holds it. If another process has made the entry meanwhile, that one
/// is used. Trims the cache if much was kept since the last time.
status keep_compilation(const entry_cache& cache, std::string_view key, compilation& result);

}  // namespace cuset
