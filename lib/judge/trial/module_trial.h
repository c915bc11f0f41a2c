// Runs an answer to a KernelBench problem, and has its outputs compared. Private to lib/judge.
#pragma once

#include "cuset/base/status.h"
#include "cuset/judge/candidate.h"
#include "cuset/judge/judge.h"
#include "cuset/judge/task.h"
#include "cuset/judge/task_data.h"
#include "cuset/judge/verdict.h"
#include "trial/trial.h"

namespace cuset {

/// Fills in what the answer comes to: stage, failure, diagnostic and seconds. The reference comes
/// from `data`. An error is a fault of this machine.
status judge_module(const trial_setting& setting, const judge_options& options, const candidate& c,
                    const task& the_task, task_data_store& data, verdict& v);

}  // namespace cuset
