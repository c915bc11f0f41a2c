// Runs gen.py and compare.py. Private to lib/judge.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/task_data.h"
#include "cuset/sandbox/sandbox.h"

namespace cuset {

/// Writes a Python program as `name` into `work`, which has a folder data/, and says how to run it.
result<sandbox_request> script_request(
    const script_setting& setting, const std::string& name, std::string_view text,
    const std::filesystem::path& work, std::vector<sandbox_mount> mounts,
    std::vector<std::pair<std::string, std::string>> environment = {});

/// Runs such a program. Errors are those of sandbox::run.
result<run_report> run_script(const script_setting& setting, const std::string& name,
                              std::string_view text, const std::filesystem::path& work,
                              std::vector<sandbox_mount> mounts,
                              std::vector<std::pair<std::string, std::string>> environment = {});

/// "1.5 GiB"
std::string gibibytes(std::uint64_t bytes);

/// Says in one line why a script did not end with 0: the last line of a traceback says it.
std::string complaint_of(const std::string& name, const run_report& report,
                         const sandbox_limits& limits);

/// "run for more than 60 s" and so on; empty if it exited by itself.
std::string describe_end(const run_report& report, const sandbox_limits& limits);

}  // namespace cuset
