// Whether a program's outputs are right. Private to lib/judge.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/task.h"
#include "cuset/judge/task_data.h"

namespace cuset {

/// Moves a task's outputs out of the work folder that a program wrote, into an empty folder. Plain
/// files alone, and through no link. Why the first that cannot be had cannot: "data/y.bin is
/// missing"; or nothing.
result<std::optional<std::string>> take_outputs(const task& t, const std::filesystem::path& work,
                                                const std::filesystem::path& to);

struct comparison {
    bool passed = false;
    bool crashed = false;  ///< compare.py gave no verdict: outputs of another size do that to most
    std::string said;      ///< where it did not pass, in one line
    double seconds = 0;
};

/// Runs compare.py in `work`, whose data/ holds outputs alone; inputs and reference join them
/// there, read-only, and so do `outputs`, which are files of this process's own. Passed is: exit
/// code 0, "T" on the last line, and "F" on none.
result<comparison> compare_outputs(const task& t, const task_data& data,
                                   const std::filesystem::path& work, const script_setting& setting,
                                   const std::vector<data_file>& outputs = {});

/// The references in the order in which compare.py passes them as the task's outputs; empty where
/// it passes none of the orders, nothing where there are less references than outputs, so that this
/// cannot be told. Each is named as the output that it stands for. Work folders are made in
/// `scratch`.
result<std::optional<std::vector<data_file>>> passing_references(
    const task& t, const task_data& data, const std::filesystem::path& scratch,
    const script_setting& setting);

}  // namespace cuset
