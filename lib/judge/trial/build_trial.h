// Builds an answer's files with its task's, and runs the test. Private to lib/judge.
#pragma once

#include "cuset/base/status.h"
#include "cuset/judge/candidate.h"
#include "cuset/judge/judge.h"
#include "cuset/judge/task.h"
#include "cuset/judge/verdict.h"
#include "trial/trial.h"

namespace cuset {

/// Fills in what the answer comes to: stage, failure, diagnostic and seconds. An error is a fault
/// of this machine.
status judge_build(const trial_setting& setting, const judge_options& options, const candidate& c,
                   const task& the_task, verdict& v);

}  // namespace cuset
