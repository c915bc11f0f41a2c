// The options of cuset-run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/cli/option_table.h"
#include "cuset/cost/gpu_model.h"
#include "cuset/judge/judge_environment.h"
#include "cuset/judge/program_files.h"
#include "cuset/judge/program_run.h"

namespace cuset {

struct run_flags {
    stream_flags stream;  ///< the files, and quiet
    std::vector<std::string> arguments;
    bool check = false, no_confirm = false, count = false, json = false;
    std::int64_t launches = 0;
    std::string estimate;
    const gpu_model* estimated = nullptr;  ///< that --estimate names
    std::int64_t schedules = 0, seed = 42;
    std::vector<std::string> inputs;
    std::string dir;
    std::string backend = "host", arch;
    std::vector<std::string> include_folders, definitions;
    std::string nvcc = "nvcc", nvcc_flags;
    double timeout = 60, compile_timeout = 120;
    std::int64_t memory = 0, cache_size = 2;
    bool unsafe_no_sandbox = false;
};

/// The exit codes that stand for no code of the program.
namespace run_code {
inline constexpr int found = 121, not_compiled = 122, not_modelled = 123, too_long = 124,
                     too_much = 125;
}

program describe(run_flags& flags);

/// Checks what the parser cannot.
status check(run_flags& flags);

judge_environment_options to_environment_options(const run_flags& flags);

/// The program's files.
result<program_files> read_files(const run_flags& flags);

/// How to run them, without the streams. A usage error names a folder that cannot be used.
result<program_request> to_request(const run_flags& flags, const program_files& files);

}  // namespace cuset
