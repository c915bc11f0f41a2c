// Finds out what kept a program from a right result, from its behaviour and its words. Private to
// lib/judge.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cuset/judge/backend.h"
#include "cuset/judge/sandbox.h"
#include "cuset/judge/verdict.h"

namespace cuset {

struct run_failure {
    failure why = failure::none;
    std::string diagnostic;
};

/// The failure of a run that passed a limit, was ended by a signal or had an exit code other than
/// 0; `none` for any other run.
run_failure failure_of_run(const run_report& report, const sandbox_limits& limits);

/// The CUDA error that the program printed, in the words of cudaGetErrorString or cudaGetErrorName;
/// failure::evaluator if it says that there is no device. Call this only if the program failed: a
/// program that goes on may print anything. `of_devices`: errors about devices count too.
std::optional<program_fault> said_of_cuda(const run_report& report, bool of_devices = true);

}  // namespace cuset
