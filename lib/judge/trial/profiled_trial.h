// Profiles an answer that passed. Private to lib/judge.
#pragma once

#include <filesystem>
#include <string_view>

#include "cuset/base/status.h"
#include "cuset/judge/program_profile.h"
#include "trial/trial.h"

namespace cuset {

/// As CUDABench has it: 600 s beside 60 s.
inline constexpr double profiling_factor = 10;

/// A compiled program, its text, and the flags that it was compiled with.
struct profiled_program {
    std::string_view source;
    const flag_list& flags;
    const std::filesystem::path& compiled;
};

/// Runs a program that passed once more on the task's inputs, under ncu and in at most
/// profiling_factor times the setting's time, and compares its outputs. A run that fails, what
/// profile_of() refuses, and a name with which the profile could be forged
/// (name_that_hinders_profiling()) are why there is no score. The backend must profile
/// (run_order::profiles). An error is a fault of this machine.
result<program_profile> profile_program(const trial_setting& setting, const task& the_task,
                                        const task_data& made, const profiled_program& program);

}  // namespace cuset
