#include "verdict/task_outcomes.h"

#include <algorithm>
#include <map>
#include <utility>

namespace cuset {

namespace {

bool passes(const verdict* v, stage wanted) { return v != nullptr && v->reached >= wanted; }

bool may_pass(const verdict* v, stage wanted) {
    return passes(v, wanted) ||
           (v != nullptr && (v->why == failure::unsupported || v->why == failure::evaluator));
}

template <class Passes>
double value_where(const named_rate& r, const task_outcomes& task, const Passes& passed) {
    const auto is_passed = [&](const verdict* v) { return passed(v, r.passing); };
    const auto begin = task.samples.begin();
    if (r.how == estimator::any_of_first)
        return std::any_of(begin, begin + static_cast<std::ptrdiff_t>(r.k), is_passed) ? 1 : 0;
    const auto count =
        static_cast<std::size_t>(std::count_if(begin, task.samples.end(), is_passed));
    return pass_at_k(task.samples.size(), count, r.k);
}

}  // namespace

digest hash_of(std::vector<counted_task> tasks) {
    std::sort(tasks.begin(), tasks.end(),
              [](const counted_task& a, const counted_task& b) { return a.id < b.id; });
    sha256 hash("cuset tasks");
    for (const auto& t : tasks) hash.add(t.hash);
    return hash.end();
}

std::vector<counted_task> without(const std::vector<counted_task>& tasks,
                                  const std::set<std::string>& left_out) {
    std::vector<counted_task> kept;
    for (const auto& t : tasks)
        if (!left_out.contains(t.id)) kept.push_back(t);
    return kept;
}

std::vector<counted_task> tasks_of(const std::vector<verdict>& verdicts) {
    std::map<std::string, counted_task> tasks;
    for (const auto& v : verdicts)
        tasks.emplace(v.task, counted_task{v.task, v.family, v.task_hash});
    std::vector<counted_task> all;
    for (auto& [id, t] : tasks) all.push_back(std::move(t));
    return all;
}

result<std::vector<verdict>> verdicts_on(const std::vector<counted_task>& tasks,
                                         const std::vector<verdict>& verdicts,
                                         const std::set<std::string>& left_out) {
    std::map<std::string_view, digest> hashes;
    for (const auto& t : tasks) hashes.emplace(t.id, t.hash);
    std::vector<verdict> kept;
    for (const auto& v : verdicts) {
        const auto known = hashes.find(v.task);
        if (known == hashes.end())
            return usage_error("there is a verdict on task \"" + v.task + "\", and no such task");
        if (known->second != v.task_hash)
            return usage_error("the verdicts on task \"" + v.task +
                               "\" were made with another version of the task");
        if (!left_out.contains(v.task)) kept.push_back(v);
    }
    return kept;
}

std::size_t samples_of(const std::vector<verdict>& verdicts) {
    std::size_t samples = 1;
    for (const auto& v : verdicts) samples = std::max<std::size_t>(samples, v.sample + 1);
    return samples;
}

outcome_table arrange(const std::vector<counted_task>& tasks, const std::vector<verdict>& verdicts,
                      std::size_t samples) {
    outcome_table table;
    std::unordered_map<std::string_view, std::size_t> places, families;
    for (const auto& t : tasks) {
        places.emplace(t.id, table.tasks.size());
        const std::size_t family = families.emplace(t.family, families.size()).first->second;
        table.tasks.push_back({t, family, std::vector<const verdict*>(samples)});
    }
    table.families = families.size();
    for (const auto& v : verdicts) {
        const auto place = places.find(v.task);
        if (place == places.end()) continue;
        if (v.sample < samples) {
            table.tasks[place->second].samples[v.sample] = &v;
        } else {
            ++table.surplus;
        }
    }
    return table;
}

std::vector<named_rate> rates_for(std::size_t samples, bool compile_only,
                                  const std::vector<std::size_t>& pass_at) {
    const std::vector<std::size_t> usual{1, 3, 10, 100};
    std::vector<named_rate> rates;
    for (const stage passing : {stage::correct, stage::ran, stage::compiled}) {
        if (compile_only && passing != stage::compiled) continue;
        for (const estimator how : {estimator::any_of_first, estimator::unbiased})
            for (const std::size_t k : pass_at.empty() ? usual : pass_at)
                if (k <= samples) rates.push_back({passing, how, k, {}, 0, 0});
    }
    return rates;
}

value_range value_of(const named_rate& r, const task_outcomes& task) {
    return {value_where(r, task, passes), value_where(r, task, may_pass)};
}

}  // namespace cuset
