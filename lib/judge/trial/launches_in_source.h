// Says from its text whether a program can launch a kernel, which is used if nobody counts
// launches, and whether it asks for a second device. Private to lib/judge.
#pragma once

#include <string>
#include <string_view>

#include "cuset/judge/backend.h"

namespace cuset {

/// Whether there is a launch in live code, in a macro that live code uses, or in a library, known
/// by its header (<cub/cub.cuh>, <cublas_v2.h>) or its namespace (thrust::). A launch in a function
/// that nobody calls counts.
bool can_launch(std::string_view source);

/// The name of the error that a program would meet after the fault that ended it, if the program
/// has it other than in a table of errors: an assertion, __trap() or an illegal address. Empty if
/// it has not, or if no fault ended the program.
std::string error_after_fault(std::string_view source, const program_fault& fault);

/// A call that asks whether devices reach each other's memory, or lets them; empty if there is
/// none.
std::string call_about_peers(std::string_view source);

}  // namespace cuset
