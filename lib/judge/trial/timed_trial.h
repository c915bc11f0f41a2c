// Measures an answer that passed beside its task's own program. Private to lib/judge.
#pragma once

#include <cstdint>
#include <filesystem>

#include "cuset/base/status.h"
#include "cuset/judge/program_time.h"
#include "trial/trial.h"

namespace cuset {

/// Runs both compiled programs on the task's inputs, `runs` times each and in turn (timed_runs.h).
/// Each run is a process of its own in a new folder, so that nothing of an earlier one is there,
/// and the outputs of each are compared: what is wrong in one is why there is no time. The backend
/// must record activity (run_order::records_activity). An error is a fault of this machine.
result<program_time> time_programs(const trial_setting& setting, const task& the_task,
                                   const task_data& made, const std::filesystem::path& candidate,
                                   const std::filesystem::path& reference, std::uint64_t runs);

}  // namespace cuset
