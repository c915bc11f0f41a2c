// Finds out whether a program's outputs are right. Private to lib/judge.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/task.h"
#include "cuset/judge/task_data.h"
#include "cuset/judge/verdict.h"

namespace cuset {

/// Moves a task's outputs out of the work folder that a program wrote, into an empty folder. Only
/// plain files are taken, and no link is followed. Returns why the first missing output could not
/// be taken ("data/y.bin is missing"), or nothing. By CUDABench's rule, compare.py decides what an
/// output is: all other plain files of data/ are moved too, if they are no more than 1,000.
result<std::optional<std::string>> take_outputs(const task& t, const std::filesystem::path& work,
                                                const std::filesystem::path& to, protocol rule);

struct comparison {
    bool passed = false;
    bool crashed = false;  ///< compare.py gave no verdict: outputs of a wrong size often cause that
    std::string message;   ///< in one line, if it did not pass
    double seconds = 0;
};

/// Runs compare.py in `work`, whose data/ has only outputs. Inputs and reference are mounted there,
/// read-only, and so are `outputs`, which are files of this process. It passed if the exit code is
/// 0, the last line is "T", and no line is "F". By CUDABench's rule it passed if the exit code is 0
/// and nothing on stdout has an F.
result<comparison> compare_outputs(const task& t, const task_data& data,
                                   const std::filesystem::path& work, const script_setting& setting,
                                   protocol rule, const std::vector<data_file>& outputs = {});

/// The references in an order in which compare.py passes them as the task's outputs. Empty if it
/// passes none of the orders; nothing if there are fewer references than outputs, so that this
/// cannot be tested. Each one has the name of the output that it stands for. Work folders are made
/// in `scratch`.
result<std::optional<std::vector<data_file>>> passing_references(
    const task& t, const task_data& data, const std::filesystem::path& scratch,
    const script_setting& setting, protocol rule);

}  // namespace cuset
