// What nvcc and its host compiler said. Private to lib/judge.
#pragma once

#include <string>
#include <string_view>

#include "cuset/judge/compiler.h"

namespace cuset {

/// Whether a failed nvcc failed at linking, by what it said.
compile_end failure_of(std::string_view said);

/// Whether a compiler or linker says that memory or space ran out, or that it was killed.
bool ran_out(std::string_view said);

/// The first line that names an error, or else the first that is not blank, of no more than 300
/// bytes.
std::string first_diagnostic(std::string_view said);

}  // namespace cuset
