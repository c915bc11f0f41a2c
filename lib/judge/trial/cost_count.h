// What a run of a program's counted form tells (program_form::counted). Private to lib/judge.
#pragma once

#include "cuset/base/status.h"
#include "cuset/judge/verdict.h"
#include "trial/trial.h"

namespace cuset {

/// Compiles a program that came to its end so that it counts, and runs it once, as `run_once` does,
/// in the order that decided: sets verdict::cost. An error is a fault of
/// this machine.
status count_costs(const trial_setting& setting, const program_source& source,
                   const program_run& run_once, verdict& v);

/// The run that counts is the only one, and its verdict that of the program.
status run_counted(const trial_setting& setting, const program_source& source,
                   const program_run& run_once, verdict& v);

}  // namespace cuset
