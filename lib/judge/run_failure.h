// What kept a program from a right result, by what it did and said. Private to lib/judge.
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

/// Of a run that passed a limit, was ended by a signal or had an exit code other than 0; `none` for
/// any other.
run_failure failure_of_run(const run_report& report, const sandbox_limits& limits);

/// The error of CUDA that the program printed, as cudaGetErrorString or cudaGetErrorName words it:
/// failure::evaluator where it says that there is no device. Whoever asks has seen that the program
/// failed: one that goes on may print anything. `of_devices`: with those.
std::optional<program_fault> said_of_cuda(const run_report& report, bool of_devices = true);

}  // namespace cuset
