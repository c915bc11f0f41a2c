// Judges a program by its exit code and by what the backend finds in it. Private to lib/judge.
#pragma once

#include "cuset/base/status.h"
#include "cuset/judge/backend.h"
#include "cuset/judge/verdict.h"
#include "trial/trial.h"

namespace cuset {

/// Compiles a program, and says in the verdict how that ended. A program that compiled has reached
/// stage::compiled, and others the stage that they had.
result<compilation> compile_program(const trial_setting& setting, const program_source& source,
                                    verdict& v);

/// Ends a `program_run` behind run_program(): the outcome explains a failure, and messages name the
/// program's files.
void end_run(const program_outcome& outcome, const compilation& built, trial& t);

/// Runs a compiled program in the backend's orders and, if it fails in a way that a race may cause,
/// with the threads of each warp in step. One that passes is shown to a stricter compiler, and
/// searched for races. An error is a fault of this machine.
status judge_runs(const trial_setting& setting, const program_source& source,
                  const compilation& built, const program_run& run_once, verdict& v);

}  // namespace cuset
