#include "verdict/task_outcomes.h"

namespace cuset {

std::vector<family_group> group_by_family(const std::vector<counted_task>& tasks,
                                          const std::vector<verdict>& verdicts,
                                          const report_options& options) {
    const auto kept = without(tasks, options.left_out);
    const std::size_t samples = options.samples > 0 ? options.samples : samples_of(verdicts);
    const outcome_table table = arrange(kept, verdicts, samples);
    // arrange() numbers the families in the order in which they appear.
    std::vector<family_group> groups(table.families);
    for (const task_outcomes& task : table.tasks) {
        family_group& group = groups[task.family];
        group.family = task.of.family;
        ++group.tasks;
        for (const verdict* v : task.samples) {
            if (v == nullptr)
                ++group.missing;
            else if (v->passed())
                ++group.passed;
            else
                ++group.failures[static_cast<std::size_t>(v->why)];
        }
    }
    return groups;
}

}  // namespace cuset
