// What an evaluation needs from this machine, chosen by the options of cuset-eval.
#pragma once

#include <memory>

#include "cuset/base/status.h"
#include "cuset/judge/backend.h"
#include "cuset/judge/sandbox.h"
#include "cuset/judge/scratch_root.h"
#include "cuset/judge/task.h"
#include "cuset/judge/task_data.h"
#include "eval_flags.h"

namespace cuset {

struct workshop {
    sandbox box;
    scratch_root scratch;
    std::unique_ptr<program_backend> backend;
    script_setting scripts;
};

/// Finds sandbox, Python and the backend that the options ask for, and reports the backend on
/// stderr. error_kind::unsupported if something is missing.
result<std::unique_ptr<workshop>> open_workshop(const eval_flags& flags);

/// Warns of modules that this shard's gen.py and compare.py import and that Python lacks, before
/// anything is compiled. error_kind::unsupported if no task could be judged without them.
status check_modules(const eval_flags& flags, const task_set& tasks, const workshop& shop);

}  // namespace cuset
