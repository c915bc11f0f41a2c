// Whether a program's outputs are right. Private to lib/judge.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cuset/base/status.h"
#include "cuset/judge/task.h"
#include "cuset/judge/task_data.h"

namespace cuset {

/// Moves a task's outputs out of the folder data/ that a program wrote, into an empty one. Plain
/// files alone, and through no link. The first that is not there, or nothing.
result<std::optional<std::string>> take_outputs(const task& t, const std::filesystem::path& from,
                                                const std::filesystem::path& to);

struct comparison {
    bool passed = false;
    bool crashed = false;  ///< compare.py gave no verdict: outputs of another size do that to most
    std::string said;      ///< where it did not pass, in one line
    double seconds = 0;
};

/// Runs compare.py in `work`, whose data/ holds outputs alone; inputs and reference join them
/// there, read-only. Passed is: exit code 0, "T" on the last line, and "F" on none.
result<comparison> compare_outputs(const task& t, const task_data& data,
                                   const std::filesystem::path& work,
                                   const script_setting& setting);

/// Copies references into data/ of `work` as the task's outputs, in the order in which compare.py
/// passes them; false where it passes none of the orders, nothing where there are less references
/// than outputs, so that this cannot be told. `work` is made.
result<std::optional<bool>> reference_passes(const task& t, const task_data& data,
                                             const std::filesystem::path& work,
                                             const script_setting& setting);

}  // namespace cuset
