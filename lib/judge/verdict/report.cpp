#include "cuset/judge/report.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "verdict/task_outcomes.h"

namespace cuset {

namespace {

constexpr std::size_t resamples = 10'000;

rate rate_of(const std::vector<task_value>& values, std::uint64_t seed,
             const value_bounds& bounds = {}) {
    return bootstrap_rate(values, seed, resamples, bounds);
}

/// The most frequent text; if there are several, the one that came first.
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
    std::map<std::string, std::size_t> unmodelled;
    double tokens = 0;
    for (const auto& task : table.tasks) {
        const std::size_t unsupported_before = report.unsupported.count,
                          not_judged_before = report.not_judged.count;
        for (const verdict* v : task.samples) {
            if (v == nullptr) {
                ++report.missing;
                continue;
            }
            ++report.verdicts;
            if (v->is_cut) ++report.cut;
            for (std::size_t s = 0; s <= static_cast<std::size_t>(v->reached); ++s)
                ++report.reached[s];
            if (v->why == failure::unsupported) {
                ++report.unsupported.count;
                ++unmodelled[v->diagnostic];
            } else if (const auto why = static_cast<std::size_t>(v->why); why != 0) {
                ++report.failures[why].count;
                if (v->why == failure::evaluator) ++report.not_judged.count;
                diagnostics[why].add(v->diagnostic);
            }
            if (v->tokens) {
                tokens += static_cast<double>(*v->tokens);
                ++report.with_tokens;
            }
            report.compile_seconds += v->compile_seconds;
            report.run_seconds += v->run_seconds;
        }
        if (report.unsupported.count > unsupported_before) ++report.unsupported.tasks;
        if (report.not_judged.count > not_judged_before) ++report.not_judged.tasks;
    }
    auto& names = report.unsupported.names;
    names.assign(unmodelled.begin(), unmodelled.end());
    std::stable_sort(names.begin(), names.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    for (std::size_t i = 0; i < failure_count; ++i)
        report.failures[i].example = diagnostics[i].text();
    if (report.with_tokens > 0)
        report.mean_tokens = tokens / static_cast<double>(report.with_tokens);
}

std::size_t count_of(failure why, const outcome_table& table) {
    std::size_t count = 0;
    for (const auto& task : table.tasks)
        count += static_cast<std::size_t>(
            std::count_if(task.samples.begin(), task.samples.end(),
                          [&](const verdict* v) { return v != nullptr && v->why == why; }));
    return count;
}

}  // namespace

result<evaluation_report> make_report(const std::vector<counted_task>& tasks,
                                      const std::vector<verdict>& verdicts,
                                      const evaluation_setting& setting,
                                      const report_options& options) {
    CUSET_ASSIGN(const auto counted, verdicts_on(tasks, verdicts, options.left_out));
    const auto kept = without(tasks, options.left_out);
    if (kept.empty()) return usage_error("no task is left to count");
    evaluation_report report;
    report.setting = setting;
    report.task_data = hash_of(kept);
    report.seed = options.seed;
    report.resamples = resamples;
    report.samples = options.samples > 0 ? options.samples : samples_of(counted);
    const outcome_table table = arrange(kept, counted, report.samples);
    report.tasks = table.tasks.size();
    report.families = table.families;
    report.left_out = tasks.size() - kept.size();
    report.surplus = table.surplus;
    count_verdicts(table, report);
    report.rates =
        rates_for(report.samples, report.setting.backend == "compile-only", options.pass_at);
    std::vector<task_value> values(table.tasks.size());
    for (auto& r : report.rates) {
        double most = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const value_range value = value_of(r, table.tasks[i]);
            values[i] = {table.tasks[i].family, value.known};
            most += value.at_most;
            r.open_tasks += value.at_most > value.known;
        }
        r.value = rate_of(values, options.seed);
        r.at_most = r.open_tasks > 0 ? most / static_cast<double>(values.size()) : r.value.mean;
    }
    return report;
}

result<paired_report> compare_evaluations(const std::vector<counted_task>& tasks,
                                          const std::vector<verdict>& first,
                                          const std::vector<verdict>& second,
                                          const report_options& options) {
    if (first.empty() || second.empty()) return usage_error("there are no verdicts to compare");
    paired_report report;
    report.setting = first.front().setting;
    if (second.front().setting != report.setting)
        return usage_error(
            "the verdicts differ in backend, toolchain, protocol or inputs, so their rates cannot "
            "be "
            "compared: " +
            describe(first.front().setting) + ", and " + describe(second.front().setting));
    const auto of_first = tasks_of(first), of_second = tasks_of(second);
    const auto less = [](const counted_task& a, const counted_task& b) { return a.id < b.id; };
    std::vector<counted_task> both;
    std::set_intersection(of_first.begin(), of_first.end(), of_second.begin(), of_second.end(),
                          std::back_inserter(both), less);
    report.only_first = of_first.size() - both.size();
    report.only_second = of_second.size() - both.size();
    const auto& all = tasks.empty() ? both : tasks;
    const auto shared = without(all, options.left_out);
    if (shared.empty()) return usage_error("no task is left to compare");
    report.left_out = all.size() - shared.size();
    report.task_data = hash_of(shared);
    // Verdicts on tasks that only the other side lacks are dropped here; this is no error.
    const auto counted = [&](const std::vector<verdict>& verdicts) {
        std::vector<verdict> kept;
        std::copy_if(
            verdicts.begin(), verdicts.end(), std::back_inserter(kept), [&](const auto& v) {
                return !tasks.empty() || std::any_of(both.begin(), both.end(),
                                                     [&](const auto& t) { return t.id == v.task; });
            });
        return verdicts_on(all, kept, options.left_out);
    };
    CUSET_ASSIGN(const auto a_verdicts, counted(first));
    CUSET_ASSIGN(const auto b_verdicts, counted(second));
    report.seed = options.seed;
    report.samples_first = options.samples > 0 ? options.samples : samples_of(a_verdicts);
    report.samples_second = options.samples > 0 ? options.samples : samples_of(b_verdicts);
    const outcome_table a = arrange(shared, a_verdicts, report.samples_first);
    const outcome_table b = arrange(shared, b_verdicts, report.samples_second);
    report.tasks = shared.size();
    report.families = a.families;
    const std::size_t fewest = std::min(report.samples_first, report.samples_second);
    report.unsupported_first = count_of(failure::unsupported, a);
    report.unsupported_second = count_of(failure::unsupported, b);
    report.not_judged_first = count_of(failure::evaluator, a);
    report.not_judged_second = count_of(failure::evaluator, b);
    std::vector<task_value> of_a(shared.size()), of_b(shared.size()), apart(shared.size());
    for (const auto& r :
         rates_for(fewest, report.setting.backend == "compile-only", options.pass_at)) {
        double least = 0, most = 0;
        for (std::size_t i = 0; i < shared.size(); ++i) {
            const std::size_t family = a.tasks[i].family;
            const value_range va = value_of(r, a.tasks[i]), vb = value_of(r, b.tasks[i]);
            of_a[i] = {family, va.known};
            of_b[i] = {family, vb.known};
            apart[i] = {family, vb.known - va.known};
            least += vb.known - va.at_most;
            most += vb.at_most - va.known;
        }
        const auto count = static_cast<double>(shared.size());
        paired_report::difference d{r, r, rate_of(apart, options.seed, {-1, 1}), least / count,
                                    most / count};
        d.first.value = rate_of(of_a, options.seed);
        d.second.value = rate_of(of_b, options.seed);
        report.rates.push_back(d);
    }
    return report;
}

}  // namespace cuset
