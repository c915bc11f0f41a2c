// Verdicts by task and sample. Private to lib/judge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cuset/judge/report.h"
#include "cuset/judge/verdict.h"
#include "cuset/statistics/pass_rate.h"

namespace cuset {

struct task_outcomes {
    counted_task of;
    std::size_t family = 0;               ///< a number for each family
    std::vector<const verdict*> samples;  ///< null if there is none
};

/// The tasks in their order, with `samples` verdicts each.
struct outcome_table {
    std::vector<task_outcomes> tasks;
    std::size_t families = 0;
    std::size_t surplus = 0;  ///< verdicts with a sample number from `samples` on
};

/// Stands for the tasks' data in any order, so that all reports on the same tasks show the same.
digest hash_of(std::vector<counted_task> tasks);

/// The tasks whose ids are not in `left_out`.
std::vector<counted_task> without(const std::vector<counted_task>& tasks,
                                  const std::set<std::string>& left_out);

/// The tasks that verdicts are on, in the order of their ids.
std::vector<counted_task> tasks_of(const std::vector<verdict>& verdicts);

/// The verdicts on tasks that are counted. A usage error for a verdict on a task that has changed
/// or does not exist.
result<std::vector<verdict>> verdicts_on(const std::vector<counted_task>& tasks,
                                         const std::vector<verdict>& verdicts,
                                         const std::set<std::string>& left_out);

/// One more than the highest sample number; 1 if there are no verdicts.
std::size_t samples_of(const std::vector<verdict>& verdicts);

/// Arranges the verdicts whose task is in `tasks`.
outcome_table arrange(const std::vector<counted_task>& tasks, const std::vector<verdict>& verdicts,
                      std::size_t samples);

/// The rates that a report gives for this many samples, without their values; `pass_at` is
/// report_options'.
std::vector<named_rate> rates_for(std::size_t samples, bool compile_only,
                                  const std::vector<std::size_t>& pass_at);

/// A rate's value for a task. The two numbers differ if a sample is unsupported and nothing else
/// decides the value.
struct value_range {
    double known = 0;    ///< if no unsupported sample passes
    double at_most = 0;  ///< if all of them pass
};
value_range value_of(const named_rate& r, const task_outcomes& task);

}  // namespace cuset
