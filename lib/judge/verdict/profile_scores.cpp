#include "cuset/judge/profile_scores.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>

#include "verdict/task_outcomes.h"

namespace cuset {

namespace {

constexpr std::size_t resamples = 10'000;

/// The score of what passed and has one; else null.
const roofline_score* score_in(const verdict* v) {
    if (v == nullptr || !v->passed() || !v->profile || !v->profile->not_profiled.empty()) return {};
    return &v->profile->roofline;
}

/// Whether it may have any score.
bool is_open(const verdict* v) {
    if (v == nullptr) return false;
    if (v->why == failure::unsupported || v->why == failure::evaluator) return true;
    return v->passed() && score_in(v) == nullptr;
}

/// The best of some samples, or one of zeros.
roofline_score best_of(std::span<const verdict* const> samples) {
    const roofline_score* best = nullptr;
    for (const verdict* v : samples) {
        const roofline_score* const score = score_in(v);
        if (score != nullptr && (best == nullptr || score->score > best->score)) best = score;
    }
    return best != nullptr ? *best : roofline_score{};
}

profile_mean mean_of(const outcome_table& table, std::size_t k, std::uint64_t seed) {
    profile_mean mean{k, {}, 0, {}, {}};
    std::vector<task_value> scores, bandwidths, computes;
    for (const task_outcomes& task : table.tasks) {
        const auto first = std::span(task.samples).first(k);
        const roofline_score best = best_of(first);
        scores.push_back({task.family, best.score});
        bandwidths.push_back({task.family, best.bandwidth_utilization});
        computes.push_back({task.family, best.compute_efficiency});
        const bool is_any_open = std::ranges::any_of(first, is_open);
        mean.at_most += is_any_open ? std::max(best.score, 1.0) : best.score;
    }
    mean.at_most /= static_cast<double>(scores.size());
    mean.score = bootstrap_rate(scores, seed, resamples, value_bounds{});
    mean.bandwidth = bootstrap_rate(bandwidths, seed, resamples, value_bounds{});
    mean.compute = bootstrap_rate(computes, seed, resamples, value_bounds{});
    return mean;
}

void count_answers(const outcome_table& table, profile_report& report) {
    std::map<std::string, std::size_t> reasons;
    for (const task_outcomes& task : table.tasks)
        for (const verdict* v : task.samples) {
            if (v == nullptr) ++report.missing;
            if (v == nullptr || !v->passed()) continue;
            ++report.correct;
            if (score_in(v) != nullptr)
                ++report.profiled;
            else
                ++reasons[v->profile ? v->profile->not_profiled : "nobody asked for a profile"];
        }
    report.not_profiled.assign(reasons.begin(), reasons.end());
    std::ranges::stable_sort(report.not_profiled, std::greater(),
                             &std::pair<std::string, std::size_t>::second);
}

}  // namespace

result<profile_report> score_profiles(const std::vector<counted_task>& tasks,
                                      const std::vector<verdict>& verdicts,
                                      const report_options& options) {
    if (std::ranges::none_of(verdicts, [](const verdict& v) { return v.profile.has_value(); }))
        return data_error("no verdict has a profile: cuset-eval --profile ncu makes them");
    const auto all = tasks.empty() ? tasks_of(verdicts) : tasks;
    CUSET_ASSIGN(const auto counted, verdicts_on(all, verdicts, options.left_out));
    const auto kept = without(all, options.left_out);
    if (kept.empty()) return usage_error("no task is left to count");
    profile_report report;
    report.setting = verdicts.front().setting;
    report.seed = options.seed;
    report.samples = options.samples > 0 ? options.samples : samples_of(counted);
    const outcome_table table = arrange(kept, counted, report.samples);
    report.tasks = table.tasks.size();
    report.families = table.families;
    report.left_out = all.size() - kept.size();
    count_answers(table, report);
    const std::vector<std::size_t> usual{1, 3};
    for (const std::size_t k : options.pass_at.empty() ? usual : options.pass_at)
        if (k <= report.samples) report.means.push_back(mean_of(table, k, options.seed));
    return report;
}

}  // namespace cuset
