// The options of cuset-eval.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/cli/option_table.h"
#include "cuset/judge/backend.h"
#include "cuset/judge/judge.h"
#include "cuset/judge/report.h"

namespace cuset {

struct eval_flags {
    stream_flags stream;
    std::string tasks;
    bool report = false, compare = false, table = false, check_tasks = false;
    std::string baseline, format = "text", family, figures, plot, measure;  ///< of --table
    bool common = false;
    std::string show;
    bool by_confidence = false;
    std::int64_t size = 256;
    std::string verdicts;
    bool compile_only = false;
    std::string backend = "auto";
    std::string protocol = "cuset";
    std::string fence = "first";
    bool accept_no_launch = false;
    std::int64_t inputs = 1;
    bool check = false;
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
    std::int64_t samples = 0;
    std::int64_t seed = 42;
    std::string leave_out;
    bool json = false;
    std::string junit;
};

program describe(eval_flags& flags);

/// The paragraphs of the man page's description.
std::vector<std::string> eval_description();

/// The candidate that --show names.
struct candidate_name {
    std::string task;
    std::uint64_t sample = 0;
};

/// Splits "TASK/SAMPLE" at the last slash. A usage error if there is none, or no number behind it.
result<candidate_name> read_candidate_name(const std::string& text);

/// Checks what the parser cannot.
status check(const eval_flags& flags);

/// Sets the options that the protocol fixes; call it after check().
void apply_protocol(eval_flags& flags);

/// The number of orders of threads that a program is run under.
std::size_t schedules_of(const eval_flags& flags);

/// Splits --nvcc-flags or --launcher into words at blanks.
std::vector<std::string> words_of(const std::string& text);

/// What a program or script may write into its work folder: as much as --memory allows in memory,
/// and no less than any sandbox.
std::uint64_t most_file_bytes(const eval_flags& flags, bool is_host);
/// What a program may take of this machine's memory.
std::uint64_t memory_bytes(const eval_flags& flags, bool is_host);

/// $XDG_CACHE_HOME/cuset, or ~/.cache/cuset.
result<std::filesystem::path> cache_folder();

}  // namespace cuset
