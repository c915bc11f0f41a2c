// Turns a candidate into a verdict: extract, compile, run, compare.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cuset/base/sha256.h"
#include "cuset/base/status.h"
#include "cuset/judge/backend.h"
#include "cuset/judge/candidate.h"
#include "cuset/judge/task.h"
#include "cuset/judge/task_data.h"
#include "cuset/judge/verdict.h"
#include "cuset/syntax/program_text.h"

namespace cuset {

struct judge_options {
    fence_choice fence = fence_choice::first;
    bool compile_only = false;
    /// Whether right results count without a kernel launch in the source, as in CUDABench.
    bool accept_no_launch = false;
    /// One of CUDABench's replaces `fence` and `accept_no_launch`.
    protocol rule = protocol::cuset;
    /// The sets of inputs that a program has to pass: gen.py's own, and others with other seeds.
    std::uint64_t inputs = 1;
    bool counts = false;  ///< verdict::cost of what passes is wanted
    const gpu_model* estimated =
        nullptr;                   ///< whose time for it and for the task's program is estimated
    std::uint64_t timed_runs = 0;  ///< verdict::time of what passes, from so many runs; 0: none
    bool profiles = false;         ///< verdict::profile of what passes is wanted
    sandbox_limits run_limits;
    double compile_seconds = 0;                         ///< nvcc's limit, for the keys
    std::size_t concurrent_runs = 1;                    ///< programs on the device at a time
    std::uint64_t kept_bytes = std::uint64_t{8} << 30;  ///< size of kept task data on the disk
};

/// What a fence's tag may be by one of CUDABench's rules.
cudabench_tags tags_of(protocol rule);

class judge {
public:
    /// Backend and sandbox must outlive the object.
    judge(const program_backend& backend, script_setting scripts, judge_options options);
    ~judge();

    /// Everything that a candidate's verdict depends on. `limited` includes nvcc's time limit: it
    /// is the key of a verdict that nvcc's limits decided.
    struct keys {
        digest plain, limited;
    };
    keys keys_of(const candidate& c, const task& the_task) const;

    /// Any number of threads may call this at once. An error is a fault of this machine (a full
    /// disk); faults of a task's own programs are verdicts of kind failure::evaluator.
    result<verdict> decide(const candidate& c, const task& the_task) const;

    /// The data that the task's gen.py makes: see task_data::make.
    result<std::shared_ptr<const task_data>> data_of(const task& the_task,
                                                     std::uint64_t set = 0) const;
    std::uint64_t inputs() const;  ///< sets

    evaluation_setting setting() const;
    const script_setting& scripts() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace cuset
