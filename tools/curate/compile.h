// --compile of cuset-curate: programs go through the judge's sandbox, compilers and cache.
#pragma once

#include "cuset/curate/curation.h"
#include "flags.h"

namespace cuset {

/// error_kind::unsupported if there is no sandbox or no compiler here.
result<program_compiler> open_compiler(const curate_flags& flags);

}  // namespace cuset
