#include "cuset/judge/report.h"

#include <algorithm>
#include <utility>

#include "task_outcomes.h"

namespace cuset {

namespace {

constexpr std::size_t resamples = 10'000;

std::vector<counted_task> without(const std::vector<counted_task>& tasks,
                                  const std::set<std::string>& left_out) {
    std::vector<counted_task> kept;
    for (const auto& t : tasks)
        if (!left_out.contains(t.id)) kept.push_back(t);
    return kept;
}

rate rate_of(const std::vector<task_value>& values, std::uint64_t seed) {
    return bootstrap_rate(values, seed, resamples);
}

/// The most frequent text; of several, the one that was there first.
class frequent_text {
public:
    void add(const std::string& text) {
        const std::size_t count = ++counts_[text];
        if (count > best_count_) {
            best_count_ = count;
            best_ = text;
        }
    }
    const std::string& text() const { return best_; }

private:
    std::map<std::string, std::size_t> counts_;
    std::size_t best_count_ = 0;
    std::string best_;
};

void count_verdicts(const outcome_table& table, evaluation_report& report) {
    std::array<frequent_text, failure_count> diagnostics;
    double tokens = 0;
    for (const auto& task : table.tasks) {
        for (const verdict* v : task.samples) {
            if (v == nullptr) {
                ++report.missing;
                continue;
            }
            ++report.verdicts;
            for (std::size_t s = 0; s <= static_cast<std::size_t>(v->reached); ++s)
                ++report.reached[s];
            if (const auto why = static_cast<std::size_t>(v->why); why != 0) {
                ++report.failures[why].count;
                diagnostics[why].add(v->diagnostic);
            }
            if (v->tokens) {
                tokens += static_cast<double>(*v->tokens);
                ++report.with_tokens;
            }
            report.compile_seconds += v->compile_seconds;
            report.run_seconds += v->run_seconds;
        }
    }
    for (std::size_t i = 0; i < failure_count; ++i)
        report.failures[i].example = diagnostics[i].text();
    if (report.with_tokens > 0)
        report.mean_tokens = tokens / static_cast<double>(report.with_tokens);
}

}  // namespace

result<evaluation_report> make_report(const std::vector<counted_task>& tasks,
                                      const std::vector<verdict>& verdicts,
                                      const evaluation_setting& setting,
                                      const report_options& options) {
    std::set<std::string_view> known;
    for (const auto& t : tasks) known.insert(t.id);
    for (const auto& v : verdicts)
        if (!known.contains(v.task))
            return usage_error("there is a verdict on task \"" + v.task + "\", and no such task");
    const auto kept = without(tasks, options.left_out);
    if (kept.empty()) return usage_error("no task is left to count");
    evaluation_report report;
    report.setting = setting;
    report.seed = options.seed;
    report.resamples = resamples;
    report.samples = options.samples > 0 ? options.samples : samples_of(verdicts);
    const outcome_table table = arrange(kept, verdicts, report.samples);
    report.tasks = table.tasks.size();
    report.families = table.families;
    report.left_out = tasks.size() - kept.size();
    report.surplus = table.surplus;
    count_verdicts(table, report);
    report.rates = rates_for(report.samples, report.setting.backend == "compile-only");
    std::vector<task_value> values(table.tasks.size());
    for (auto& r : report.rates) {
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = {table.tasks[i].family, value_of(r, table.tasks[i])};
        r.value = rate_of(values, options.seed);
    }
    return report;
}

result<paired_report> compare_evaluations(const std::vector<verdict>& first,
                                          const std::vector<verdict>& second,
                                          const report_options& options) {
    if (first.empty() || second.empty()) return usage_error("there are no verdicts to compare");
    paired_report report;
    report.setting = first.front().setting;
    if (second.front().setting != report.setting)
        return usage_error(
            "the verdicts differ in backend, toolchain or tasks, so their rates cannot be "
            "compared");
    std::map<std::string, std::string> families;  // of the first's tasks
    for (const auto& v : first) families.emplace(v.task, v.family);
    std::set<std::string> others;
    for (const auto& v : second) others.insert(v.task);
    std::vector<counted_task> shared;
    for (const auto& [id, family] : families)
        if (others.contains(id) && !options.left_out.contains(id)) shared.push_back({id, family});
    for (const auto& [id, family] : families)
        if (!others.contains(id)) ++report.only_first;
    for (const auto& id : others)
        if (!families.contains(id)) ++report.only_second;
    if (shared.empty()) return usage_error("no task is in both");

    const auto wanted = [&](const std::vector<verdict>& verdicts) {
        return options.samples > 0 ? options.samples : samples_of(verdicts);
    };
    report.seed = options.seed;
    report.samples_first = wanted(first);
    report.samples_second = wanted(second);
    const outcome_table a = arrange(shared, first, report.samples_first);
    const outcome_table b = arrange(shared, second, report.samples_second);
    report.tasks = shared.size();
    report.families = a.families;
    const std::size_t both = std::min(report.samples_first, report.samples_second);
    std::vector<task_value> of_a(shared.size()), of_b(shared.size()), apart(shared.size());
    for (const auto& r : rates_for(both, report.setting.backend == "compile-only")) {
        for (std::size_t i = 0; i < shared.size(); ++i) {
            const std::size_t family = a.tasks[i].family;
            of_a[i] = {family, value_of(r, a.tasks[i])};
            of_b[i] = {family, value_of(r, b.tasks[i])};
            apart[i] = {family, of_b[i].value - of_a[i].value};
        }
        paired_report::difference d{r, r, rate_of(apart, options.seed)};
        d.first.value = rate_of(of_a, options.seed);
        d.second.value = rate_of(of_b, options.seed);
        report.rates.push_back(d);
    }
    return report;
}

}  // namespace cuset
