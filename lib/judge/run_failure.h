// What kept a program from a right result, by what it did and said. Private to lib/judge.
#pragma once

#include <string>
#include <string_view>

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

/// What the program said of CUDA, where its results are `otherwise`: programs that only print an
/// error and go on. A device that is not there is the evaluator's fault.
run_failure failure_of_results(const run_report& report, run_failure otherwise);

/// Whether a diagnostic tells that the program found no device.
bool says_no_device(std::string_view diagnostic);

}  // namespace cuset
