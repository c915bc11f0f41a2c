// Runs a program on a task's inputs and compares its outputs. Private to lib/judge.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <semaphore>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/backend.h"
#include "cuset/judge/task.h"
#include "cuset/judge/task_data.h"
#include "cuset/judge/verdict.h"
#include "trial/run_failure.h"

namespace cuset {

struct trial_setting {
    const program_backend& backend;
    const script_setting& scripts;
    sandbox_limits limits;              ///< of each run
    std::counting_semaphore<>& device;  ///< one place for each program that may run
    /// Whether right results must come from kernels, if the backend counts what these wrote.
    bool needs_kernels = false;
    protocol rule = protocol::cuset;
    bool compares = false;  ///< whether a run of a program that passed looks at its outputs again
    /// The program's text, which says whether it means to meet the error of a fault.
    std::vector<std::string_view> sources{};
    bool is_hip = false;  ///< the sources are in HIP
    /// nvcc links the program with the toolkit's libraries that it calls: nobody gave a command.
    bool finds_libraries = false;
};

struct trial {
    program_fault failed;             ///< `none` if the outputs are right
    std::vector<finding> findings{};  ///< see verdict
    stage reached = stage::compiled;
    double run_seconds = 0, compare_seconds = 0;  ///< of all its runs
    std::string launches;                         ///< see program_outcome
    bool counts_kernels = false;                  ///< the backend has reported on the program's
                                                  ///< kernels
    std::string note;                             ///< of the first run
    bool has_faulted = false;                     ///< the backend's runtime ended it
    stream_need streams = stream_need::none;      ///< of the first run
    std::string order;                            ///< see verdict
    run_end end = run_end::exited;                ///< of the first run, with its code
    int code = 0;
    std::vector<launch_cost> costs{};   ///< see program_outcome
    std::string activity{}, profile{};  ///< see program_outcome
};

/// Runs a compiled program once, in an order.
using program_run =
    std::function<result<trial>(const trial_setting&, const compilation&, run_order)>;

/// Runs the program in the backend's orders. If the first run needs asynchronous streams, or asked
/// for them and failed, or ended at a kernel's fault whose error the program names, it is made
/// again with them, and counts if it needed them or passes. The first run decides, unless a later
/// one passes and the first did not, or the reverse: the failure is then `race`, or that of the
/// later run. A result that a run of the first order alone decides (a fault, a limit) is not tried
/// again. An error is a fault of this machine.
result<trial> try_program(const trial_setting& setting, const task& the_task, const task_data& made,
                          const std::filesystem::path& program);

/// Runs the program once on the task's inputs, in a new folder, and compares its outputs. An error
/// is a fault of this machine.
result<trial> run_and_compare(const trial_setting& setting, const task& the_task,
                              const task_data& made, const std::filesystem::path& program,
                              run_order order);

/// Runs the program once, and takes the failure of the run itself, by the backend's runtime or the
/// program's end, with its seconds and records. The failure of a program that could not be started
/// is `evaluator`. An error is a fault of this machine.
result<program_outcome> run_program(const trial_setting& setting,
                                    const std::filesystem::path& program, sandbox_request request,
                                    run_order order, const std::filesystem::path& place, trial& t);

/// Replaces a failure by the CUDA error that may have caused it, and notes a call that failed
/// unseen.
void explain_by_cuda(const program_outcome& outcome, trial& t);

/// As try_program(), for any way to run a program once in an order. `is_first`: no later order.
result<trial> try_in_orders(
    const trial_setting& setting,
    const std::function<result<trial>(run_order order, bool is_first)>& try_once);

/// "the order of seed 7".
std::string words_for_order(std::uint64_t seed);

/// What it means that a program which passed in the plain order fails so in that of the seed:
/// `race` where its own results fail, else that failure.
program_fault failure_in_order(program_fault failed, std::uint64_t seed);

/// Whether a program may have failed so because it relies on warps whose threads run in step.
bool may_rely_on_steps(failure why);
/// Makes the verdict that of a program that passed so.
void pass_in_step(verdict& v);

/// A program whose results fail and that asks for what the backend has only in part is unsupported.
void excuse(verdict& v, const program_backend& backend, std::string_view source, bool is_hip);

/// The failure that a compiler's end is.
failure failure_of(compile_end end);

/// The diagnostic with the run's note, if there is one: "compare.py: F; note: …".
std::string with_note(std::string diagnostic, const std::string& note);

/// "kernel add (line 12) is the first to differ", from two launch records with a line `NUMBER
/// KERNEL LINE DIGEST` for each launch, which programs may have written. Empty if they are equal or
/// no such records.
std::string first_difference(std::string_view plain, std::string_view other);

}  // namespace cuset
