#include "cuset/judge/fast_scores.h"

#include <algorithm>
#include <cmath>

#include "cuset/cost/cost_record.h"
#include "verdict/task_outcomes.h"

namespace cuset {

namespace {

constexpr std::size_t resamples = 10'000;

/// KernelBench's thresholds.
constexpr double thresholds[] = {0, 0.5, 0.8, 1, 1.5, 2};

bool is_fast(const verdict* v, double p) {
    if (v == nullptr || !v->passed()) return false;
    if (p == 0) return true;
    const auto speedup = speedup_of(*v);
    return speedup && *speedup > p;
}

bool may_be_fast(const verdict* v, double p) {
    if (v == nullptr) return false;
    if (v->why == failure::unsupported || v->why == failure::evaluator) return true;
    return is_fast(v, p) || (v->passed() && !speedup_of(*v));
}

/// What the times of the verdicts are: an empty text, measured, or the GPU of their estimates.
result<std::string> kind_of_times(const std::vector<verdict>& verdicts) {
    bool is_measured = false;
    std::string gpu;
    for (const verdict& v : verdicts) {
        if (v.time) is_measured = true;
        if (v.time || !v.cost.reference_seconds || v.cost.estimated == nullptr) continue;
        if (!gpu.empty() && gpu != v.cost.estimated->name)
            return data_error("the times are estimates for different GPUs: " + gpu + " and " +
                              std::string(v.cost.estimated->name));
        gpu = v.cost.estimated->name;
    }
    if (is_measured && !gpu.empty())
        return data_error("some times are measured, and others are estimates for " + gpu);
    if (!is_measured && gpu.empty())
        return data_error(
            "no verdict has a time: cuset-eval --time measures, and --estimate estimates");
    return gpu;
}

fast_rate rate_of(const outcome_table& table, double p, std::size_t k, std::uint64_t seed) {
    fast_rate found{p, k, {}, 0};
    std::vector<task_value> values;
    for (const task_outcomes& task : table.tasks) {
        std::size_t fast = 0, at_most = 0;
        for (const verdict* v : task.samples) {
            fast += is_fast(v, p);
            at_most += may_be_fast(v, p);
        }
        values.push_back({task.family, pass_at_k(task.samples.size(), fast, k)});
        found.at_most += pass_at_k(task.samples.size(), at_most, k);
    }
    found.at_most /= static_cast<double>(values.size());
    found.value = bootstrap_rate(values, seed, resamples, value_bounds{});
    return found;
}

void add_geometric_mean(const outcome_table& table, fast_report& report) {
    std::vector<task_value> logarithms;
    for (const task_outcomes& task : table.tasks) {
        double sum = 0;
        std::size_t count = 0;
        for (const verdict* v : task.samples) {
            if (v == nullptr) continue;
            report.correct += v->passed();
            const auto speedup = speedup_of(*v);
            if (!speedup) continue;
            sum += std::log(*speedup);
            ++count;
        }
        report.timed += count;
        if (count > 0) logarithms.push_back({task.family, sum / static_cast<double>(count)});
    }
    report.timed_tasks = logarithms.size();
    const rate mean = bootstrap_rate(logarithms, report.seed, resamples);
    report.geometric_mean = {std::exp(mean.mean), std::exp(mean.low), std::exp(mean.high),
                             std::nan("")};
}

}  // namespace

std::optional<double> speedup_of(const verdict& v) {
    if (!v.passed()) return {};
    if (v.time) return v.time->not_timed.empty() ? std::optional(v.time->speedup) : std::nullopt;
    const auto slowdown = estimated_slowdown(v.cost);
    return slowdown && *slowdown > 0 ? std::optional(1 / *slowdown) : std::nullopt;
}

result<fast_report> score_speed(const std::vector<counted_task>& tasks,
                                const std::vector<verdict>& verdicts,
                                const report_options& options) {
    fast_report report;
    CUSET_ASSIGN(report.estimated_gpu, kind_of_times(verdicts));
    const auto all = tasks.empty() ? tasks_of(verdicts) : tasks;
    CUSET_ASSIGN(const auto counted, verdicts_on(all, verdicts, options.left_out));
    const auto kept = without(all, options.left_out);
    if (kept.empty()) return usage_error("no task is left to count");
    report.setting = verdicts.front().setting;
    report.seed = options.seed;
    report.samples = options.samples > 0 ? options.samples : samples_of(counted);
    const outcome_table table = arrange(kept, counted, report.samples);
    report.tasks = table.tasks.size();
    report.families = table.families;
    report.left_out = all.size() - kept.size();
    for (const task_outcomes& task : table.tasks)
        report.missing += static_cast<std::size_t>(std::ranges::count(task.samples, nullptr));
    add_geometric_mean(table, report);
    const std::vector<std::size_t> usual{1};
    for (const std::size_t k : options.pass_at.empty() ? usual : options.pass_at)
        if (k <= report.samples)
            for (const double p : thresholds)
                report.rates.push_back(rate_of(table, p, k, options.seed));
    return report;
}

}  // namespace cuset
