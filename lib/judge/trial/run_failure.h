// Finds out what kept a program from a right result, from its end and what it printed. Private to
// lib/judge.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cuset/judge/backend.h"
#include "cuset/judge/verdict.h"
#include "cuset/sandbox/sandbox.h"

namespace cuset {

/// The failure of a run that passed a limit, was ended by a signal or had an exit code other than
/// 0; `none` for any other run.
program_fault failure_of_run(const run_report& report, const sandbox_limits& limits);

/// The CUDA error that the program printed, in the words of cudaGetErrorString or cudaGetErrorName;
/// failure::evaluator if it says that there is no device. Call this only if the program failed: a
/// program that goes on may print anything. `of_devices`: errors about devices count too.
std::optional<program_fault> printed_cuda_error(const run_report& report, bool of_devices = true);

}  // namespace cuset
