// Running gen.py and compare.py. Private to lib/judge.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/sandbox.h"
#include "cuset/judge/task_data.h"

namespace cuset {

/// Runs a Python program as `name` in `work`, which has a folder data/. Errors as sandbox::run.
result<run_report> run_script(const script_setting& setting, const std::string& name,
                              std::string_view text, const std::filesystem::path& work,
                              std::vector<sandbox_mount> mounts);

/// What went wrong with a script that did not end with 0, in one line: a traceback's last line says
/// it.
std::string complaint_of(const std::string& name, const run_report& report,
                         const sandbox_limits& limits);

/// "run for more than 60 s" and the like; empty where it exited.
std::string describe_end(const run_report& report, const sandbox_limits& limits);

}  // namespace cuset
