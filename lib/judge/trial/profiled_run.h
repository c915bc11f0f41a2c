// Runs a program under Nsight Compute, and reads what it says. Private to lib/judge.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cuset/base/status.h"
#include "cuset/judge/compiler.h"
#include "cuset/judge/program_profile.h"
#include "cuset/sandbox/sandbox.h"

namespace cuset {

/// ncu's path: the first in PATH, or that of the toolkit; empty if there is none.
std::filesystem::path find_profiler(const toolkit& kit);

/// Runs the request's command under ncu, with the metrics of ncu_metric_list() for each launch.
/// What ncu writes goes to a file of a random name in the work folder, and becomes the report's
/// channel_output behind the line "profile"; where ncu wrote none, its messages on the program's
/// streams do. All else of the request is set.
result<run_report> run_profiled(const sandbox& box, const std::filesystem::path& profiler,
                                const toolkit& kit, sandbox_request request);

/// The text that run_profiled() has put into a report; empty if it has not.
std::string_view profile_in(std::string_view channel_output);

/// The score, or the first of these reasons why there is none: the driver lets this user read no
/// counters; another error of ncu; an exit code of the program other than 0; what is wrong in the
/// table (read_ncu_table(), score_of()). Reasons are visible_text in one line.
program_profile profile_of(std::string_view text);

}  // namespace cuset
