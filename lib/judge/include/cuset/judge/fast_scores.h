// How many answers are right and faster than their task's own program: cuset-report --fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/report.h"
#include "cuset/judge/verdict.h"
#include "cuset/statistics/pass_rate.h"

namespace cuset {

/// bench.cu's time over the program's: as it was measured (verdict::time), or by the estimates of
/// the host model where nothing was (verdict::cost). Nothing for what has not passed, and where one
/// of both times is not known.
std::optional<double> speedup_of(const verdict& v);

/// KernelBench's fast_p (Ouyang et al. 2025, arXiv 2502.10517, section 3.3): the share of tasks
/// whose answer is correct and more than p times as fast as the reference. fast_0 is the share that
/// is correct, whether a time is known or not. Of several samples of a task it is the probability
/// that at least one of k that are drawn is so (pass_at_k), which is their share for k = 1.
struct fast_rate {
    double p = 0;
    std::size_t k = 1;
    rate value;  ///< a correct answer without a speed-up, and one that nobody judged, is not faster
    double at_most = 0;  ///< the mean if all of these were faster
};

struct fast_report {
    evaluation_setting setting;
    std::string estimated_gpu;  ///< of the estimates; empty: the times are measured
    std::uint64_t seed = 0;
    std::size_t tasks = 0, families = 0, samples = 0, left_out = 0;
    std::size_t missing = 0;             ///< samples without a verdict, which count as failures
    std::size_t correct = 0, timed = 0;  ///< answers; timed: correct, and with a speed-up
    std::vector<fast_rate> rates;
    /// The geometric mean of the speed-ups of correct answers over tasks that have one. A task's
    /// own is that of its answers. Its interval is that of the mean logarithm; error is not set.
    rate geometric_mean;
    std::size_t timed_tasks = 0;
};

/// `tasks` are those that count, or empty: those that verdicts are on. Errors: data if no verdict
/// has a time, or the verdicts have measured times and estimates, or estimates for several GPUs;
/// usage as make_report().
result<fast_report> score_speed(const std::vector<counted_task>& tasks,
                                const std::vector<verdict>& verdicts,
                                const report_options& options);

/// The heading says whether the times are measured or estimated.
std::string to_text(const fast_report& report);
/// Lines of columns with tabs between them, behind a line of names: a line for each fast_p and one
/// for the geometric mean. The column "times" says "measured" or "estimated for GPU".
std::string to_table(const fast_report& report);
std::string to_json(const fast_report& report);

}  // namespace cuset
