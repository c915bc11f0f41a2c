#include "cuset/judge/unjudged.h"

#include <algorithm>
#include <set>
#include <string>

#include "cuset/base/log.h"
#include "cuset/base/visible_text.h"

namespace cuset {

namespace {

/// Names the tasks, with what `example`, which the first warning has, does not say.
void warn_of_tasks(const std::vector<verdict>& verdicts, const std::string& example) {
    constexpr std::size_t most = 20;
    std::set<std::string> tasks;
    for (const auto& v : verdicts) {
        if (v.why != failure::evaluator || !tasks.insert(v.task).second) continue;
        if (tasks.size() <= most)
            log(log_level::warning, "not judged: task " + visible_text(v.task) + " (" +
                                        visible_text(v.family) + ')' +
                                        (v.diagnostic == example ? "" : ": " + v.diagnostic));
    }
    if (tasks.size() > most)
        log(log_level::warning,
            std::to_string(tasks.size() - most) + " more tasks were not judged");
}

}  // namespace

result<std::size_t> warn_of_unjudged(const evaluation_report& report,
                                     const std::vector<verdict>& verdicts) {
    if (report.verdicts == 0) return data_error("there are no candidates to report");
    const auto& faults = report.failures[static_cast<std::size_t>(failure::evaluator)];
    if (faults.count == 0) return std::size_t{0};
    // A verdict of a program that was compiled says how far it came.
    if (std::none_of(verdicts.begin(), verdicts.end(), [](const verdict& v) {
            return v.why != failure::evaluator && v.reached >= stage::compiled;
        }))
        return data_error("no program could be judged (" + std::to_string(faults.count) + " of " +
                          std::to_string(report.verdicts) + " candidates): " + faults.example);
    log(log_level::warning,
        std::to_string(faults.count) + " of " + std::to_string(report.verdicts) +
            " candidates could not be judged, and count as not passed: " + faults.example);
    warn_of_tasks(verdicts, faults.example);
    return faults.count;
}

}  // namespace cuset
