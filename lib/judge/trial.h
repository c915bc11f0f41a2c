// Runs of a program on a task's inputs, each to the comparison of its outputs. Private to
// lib/judge.
#pragma once

#include <cstdint>
#include <filesystem>
#include <semaphore>
#include <string>
#include <string_view>

#include "cuset/base/status.h"
#include "cuset/judge/backend.h"
#include "cuset/judge/task.h"
#include "cuset/judge/task_data.h"
#include "cuset/judge/verdict.h"
#include "run_failure.h"

namespace cuset {

struct trial_setting {
    const program_backend& backend;
    const script_setting& scripts;
    sandbox_limits limits;              ///< of each run
    std::counting_semaphore<>& device;  ///< a place for each program that may run
    /// Right results must come from kernels, where the backend counts what these wrote.
    bool needs_kernels = false;
};

struct trial {
    run_failure failed;  ///< `none` where the outputs are right
    stage reached = stage::compiled;
    double run_seconds = 0, compare_seconds = 0;  ///< of all its runs
    std::string launches;                         ///< the backend's launch_record
    bool counts_kernels = false;                  ///< the backend has told of its kernels
    std::string note;                             ///< of the first run
};

/// Runs the program under the backend's orders. The first run decides, but where a later one passes
/// and it did not, or the other way round: then the failure is `race`, or what the later run ended
/// with. What a run of the first order can say alone (a fault, a limit) is not tried again. An
/// error is this machine's.
result<trial> try_program(const trial_setting& setting, const task& of, const task_data& made,
                          const std::filesystem::path& program);

/// The diagnostic with the run's note, where there is one: "compare.py: F; note: …".
std::string with_note(std::string diagnostic, const std::string& note);

/// "kernel add (line 12) is the first to differ": of two launch records, `NUMBER KERNEL LINE
/// DIGEST` a line, which programs may have written. Empty where they are the same or no such
/// records.
std::string first_difference(std::string_view plain, std::string_view other);

}  // namespace cuset
