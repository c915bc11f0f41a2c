// One candidate as cuset-eval sees it.
#pragma once

#include <string>

#include "cuset/base/status.h"
#include "cuset/judge/judge.h"
#include "cuset/judge/task.h"
#include "cuset/stream/output.h"
#include "eval_flags.h"

namespace cuset {

/// Writes the verdict on the candidate, its answer, the program that was taken from it, and what
/// the compiler said. The verdict is the last one in --verdicts, or else `judging` decides now. A
/// data error if no FILE has the candidate, or the tasks have no such task.
status show_candidate(const eval_flags& flags, const task_set& tasks, const judge& judging,
                      output& out);

}  // namespace cuset
