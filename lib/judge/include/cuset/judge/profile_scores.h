// How near answers come to the GPU's roofline: cuset-report --profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/report.h"
#include "cuset/judge/verdict.h"
#include "cuset/statistics/pass_rate.h"

namespace cuset {

/// The means over tasks of CUDABench's Pass@k report (Evaluate/data_process.py, 2026): of a task's
/// first k samples the one counts that passed and has the highest score, the first of equal ones; a
/// task without any has 0.
struct profile_mean {
    std::size_t k = 1;
    rate score;
    double at_most = 0;  ///< the mean score if each answer without one, and each not judged, had 1
    rate bandwidth, compute;  ///< of the same samples: see roofline_score
};

struct profile_report {
    evaluation_setting setting;
    std::uint64_t seed = 0;
    std::size_t tasks = 0, families = 0, samples = 0, left_out = 0;
    std::size_t missing = 0;                ///< samples without a verdict, which count as failures
    std::size_t correct = 0, profiled = 0;  ///< answers; profiled: correct, and with a score
    std::vector<profile_mean> means;
    /// Why correct answers have no score, and how many there are of each, the most frequent first.
    std::vector<std::pair<std::string, std::size_t>> not_profiled;
};

/// `tasks` are those that count, or empty: those that verdicts are on. k is 1 and 3, or
/// report_options::pass_at. Errors: data if no verdict has a profile; usage as make_report().
result<profile_report> score_profiles(const std::vector<counted_task>& tasks,
                                      const std::vector<verdict>& verdicts,
                                      const report_options& options);

std::string to_text(const profile_report& report);
/// Lines of columns with tabs between them, behind a line of names: for each k the means of score,
/// bandwidth_utilization and compute_efficiency. at_most is that of the score alone.
std::string to_table(const profile_report& report);
std::string to_json(const profile_report& report);

}  // namespace cuset
