#include "cuset/judge/condition_table.h"

#include <algorithm>
#include <utility>

#include "verdict/condition_measures.h"
#include "verdict/task_outcomes.h"

namespace cuset {

namespace {

constexpr std::size_t resamples = 10'000;

/// The name of a condition and of one of its files, for messages.
std::string place_of(const condition_runs& condition, const condition_run& run) {
    return "condition " + condition.name + " (" + run.file + ')';
}

/// Calls visit(condition, run) for all files.
template <class Visit>
status for_runs(const std::vector<condition_runs>& conditions, const Visit& visit) {
    for (const auto& condition : conditions)
        for (const auto* runs : {&condition.runs, &condition.checked})
            for (const auto& run : *runs) CUSET_TRY(visit(condition, run));
    return {};
}

status check_names(const std::vector<condition_runs>& conditions, const std::string& baseline) {
    std::set<std::string_view> names;
    for (const auto& c : conditions)
        if (!names.insert(c.name).second)
            return usage_error("there are two conditions of the name " + c.name +
                               ": the files of one stand behind one name, with commas");
    if (!baseline.empty() && !names.contains(baseline))
        return usage_error("--baseline " + baseline + " is none of the conditions");
    return {};
}

status check_settings(const std::vector<condition_runs>& conditions, condition_table& table) {
    table.setting = conditions[0].runs[0].verdicts.front().setting;
    return for_runs(conditions, [&](const auto& condition, const auto& run) -> status {
        const auto& setting = run.verdicts.front().setting;
        const bool is_second = &run >= condition.checked.data() &&
                               &run < condition.checked.data() + condition.checked.size();
        if (is_second && !table.checked_setting) table.checked_setting = setting;
        const auto& wanted = is_second ? *table.checked_setting : table.setting;
        if (setting == wanted) return {};
        return usage_error("verdicts of several settings cannot be compared: " + describe(wanted) +
                           ", and " + place_of(condition, run) + ": " + describe(setting));
    });
}

/// The tasks to count: those of all files, which must agree.
class common_tasks {
public:
    explicit common_tasks(const table_options& options) : options_(options) {
        for (const auto& t : options.tasks) known_.emplace(t.id, t);
    }

    status collect(const std::vector<condition_runs>& conditions) {
        return for_runs(conditions, [&](const auto& condition, const auto& run) {
            return add(condition, run);
        });
    }

    /// Drops tasks that a file lacks, or says how many.
    status agree(const std::vector<condition_runs>& conditions, std::size_t& dropped) {
        std::set<std::string> lacking_any;
        CUSET_TRY(for_runs(conditions, [&](const auto& condition, const auto& run) -> status {
            std::set<std::string_view> has;
            for (const auto& v : run.verdicts) has.insert(v.task);
            std::vector<std::string> lacking;
            for (const auto& [id, t] : known_)
                if (!has.contains(id) && !options_.left_out.contains(id)) lacking.push_back(id);
            if (lacking.empty()) return {};
            lacking_any.insert(lacking.begin(), lacking.end());
            if (options_.common) return {};
            return data_error(place_of(condition, run) + " lacks " +
                              std::to_string(lacking.size()) + " of the " +
                              std::to_string(known_.size()) + " tasks, task " + lacking[0] +
                              " first: judge them, or count only what all files have with "
                              "--common");
        }));
        dropped = lacking_any.size();
        for (const auto& id : lacking_any) known_.erase(id);
        return {};
    }

    result<std::vector<counted_task>> counted(std::size_t& left_out) const {
        std::vector<counted_task> kept;
        for (const auto& [id, t] : known_) {
            if (options_.left_out.contains(id)) {
                ++left_out;
                continue;
            }
            kept.push_back(t);
            if (options_.families.empty()) continue;
            const auto family = options_.families.find(id);
            if (family == options_.families.end())
                return data_error("task " + id + " is in no family: the file of tasks lacks it");
            kept.back().family = family->second;
        }
        if (kept.empty()) return usage_error("no task is left to count");
        return kept;
    }

private:
    status add(const condition_runs& condition, const condition_run& run) {
        for (const auto& v : run.verdicts) {
            if (!options_.tasks.empty() && !known_.contains(v.task))
                return usage_error(place_of(condition, run) + ": there is a verdict on task \"" +
                                   v.task + "\", and no such task");
            const auto [at, is_new] =
                known_.emplace(v.task, counted_task{v.task, v.family, v.task_hash});
            if (!is_new && at->second.hash != v.task_hash)
                return usage_error(place_of(condition, run) + ": the verdicts on task \"" + v.task +
                                   "\" were made with another version of the task");
        }
        return {};
    }

    const table_options& options_;
    std::map<std::string, counted_task> known_;
};

result<run_outcomes> outcomes_of(const condition_runs& condition, const condition_run& run,
                                 const std::vector<counted_task>& tasks,
                                 const table_options& options) {
    std::set<std::string_view> counted;
    for (const auto& t : tasks) counted.insert(t.id);
    run_outcomes made;
    made.samples = options.samples;
    if (options.samples == 0)
        for (const auto& v : run.verdicts)
            if (counted.contains(v.task))
                made.samples = std::max<std::size_t>(made.samples, v.sample + 1);
    made.table = arrange(tasks, run.verdicts, made.samples);
    std::size_t missing = 0, judged = 0;
    const verdict* unjudged = nullptr;
    for (const auto& task : made.table.tasks) {
        for (const verdict* v : task.samples) {
            if (v == nullptr)
                ++missing;
            else if (v->why == failure::evaluator)
                unjudged = v;
            else
                ++judged;
        }
    }
    if (judged == 0)
        return data_error(place_of(condition, run) + ": none of its answers could be judged" +
                          (unjudged != nullptr ? ": " + unjudged->diagnostic : ""));
    if (missing > 0 && options.samples == 0)
        return data_error(place_of(condition, run) + " lacks " + std::to_string(missing) +
                          " of the " + std::to_string(made.samples * tasks.size()) +
                          " answers that " + std::to_string(made.samples) +
                          " samples a task make: judge them, or say with -n how many samples "
                          "count, and those that are missing fail");
    return made;
}

void count_answers(const run_outcomes& run, table_row& row) {
    row.least_samples =
        row.least_samples == 0 ? run.samples : std::min(row.least_samples, run.samples);
    row.most_samples = std::max(row.most_samples, run.samples);
    row.surplus += run.table.surplus;
    for (const auto& task : run.table.tasks) {
        row.answers += task.samples.size();
        for (const verdict* v : task.samples) {
            row.missing += v == nullptr;
            row.evaluator += v != nullptr && v->why == failure::evaluator;
            row.unsupported += v != nullptr && v->why == failure::unsupported;
        }
    }
}

}  // namespace

result<condition_table> make_table(const std::vector<condition_runs>& conditions,
                                   const std::vector<condition_figure>& figures,
                                   const table_options& options) {
    if (conditions.empty()) return usage_error("there is no condition to report");
    CUSET_TRY(check_names(conditions, options.baseline));
    condition_table table;
    CUSET_TRY(check_settings(conditions, table));
    common_tasks shared(options);
    CUSET_TRY(shared.collect(conditions));
    CUSET_TRY(shared.agree(conditions, table.dropped));
    CUSET_ASSIGN(const auto tasks, shared.counted(table.left_out));
    table.task_data = hash_of(tasks);
    table.baseline = options.baseline;
    table.family_field = options.family_field;
    table.seed = options.seed;
    table.resamples = resamples;
    table.tasks = tasks.size();
    std::vector<condition_outcomes> outcomes;
    for (const auto& condition : conditions) {
        condition_outcomes made;
        table_row row{.name = condition.name,
                      .runs = condition.runs.size(),
                      .checked = condition.checked.size()};
        for (const auto& run : condition.runs) {
            CUSET_ASSIGN(auto counted, outcomes_of(condition, run, tasks, options));
            count_answers(counted, row);
            made.runs.push_back(std::move(counted));
        }
        for (const auto& run : condition.checked) {
            CUSET_ASSIGN(auto counted, outcomes_of(condition, run, tasks, options));
            made.checked.push_back(std::move(counted));
        }
        table.families = made.runs[0].table.families;
        table.rows.push_back(std::move(row));
        outcomes.push_back(std::move(made));
    }
    const condition_measures measures(outcomes, table);
    measures.add_rates(options.pass_at, table.measures);
    CUSET_TRY(measures.add_figures(figures, table));
    measures.add_failures(table.failures);
    return table;
}

}  // namespace cuset
