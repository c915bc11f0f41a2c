// The options of cuset-eval.
#pragma once

#include <string>
#include <vector>

#include "counting_flags.h"
#include "cuset/base/status.h"
#include "cuset/cli/option_table.h"
#include "cuset/judge/judge.h"
#include "cuset/judge/judge_environment.h"

namespace cuset {

struct eval_flags {
    stream_flags stream;
    counting_flags counting;
    std::string tasks, verdicts;
    bool check_tasks = false;
    std::string show;
    bool compile_only = false;
    std::string backend = "auto";
    std::string protocol = "cuset";
    std::string fence = "first";
    bool accept_no_launch = false;
    std::int64_t inputs = 1;
    bool check = false, no_confirm = false, count = false;
    std::string estimate;
    std::int64_t time = 0;
    std::string profile = "none";
    std::int64_t schedules = 0;
    std::string nvcc = "nvcc", arch, nvcc_flags;
    std::string launcher;
    double timeout = 60, compile_timeout = 120;
    std::int64_t memory = 0;
    double task_timeout = 600;
    std::int64_t task_memory = 8;
    std::int64_t cache_size = 2;
    std::int64_t concurrent_runs = 1;
    std::string python = "python3";
    bool unsafe_no_sandbox = false;
};

program describe(eval_flags& flags);

/// Appends the options that say how candidates are judged.
void add_judging(program& p, eval_flags& flags);

/// The paragraphs of the man page's description.
std::vector<std::string> eval_description();

/// Checks what the parser cannot.
status check(const eval_flags& flags);

/// Sets the options that the protocol fixes; call it after check().
void apply_protocol(eval_flags& flags);
/// That of --protocol; "cudabench" is the benchmark's newest.
protocol rule_of(const eval_flags& flags);

judge_environment_options to_environment_options(const eval_flags& flags);

/// `run_limits` are the environment's.
judge_options to_judge_options(const eval_flags& flags, const sandbox_limits& run_limits);

}  // namespace cuset
