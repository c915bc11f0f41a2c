#include "cuset/judge/turn_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "verdict/task_outcomes.h"

namespace cuset {

namespace {

constexpr std::size_t resamples = 10'000;

/// Differences below this are none: sums of equal terms differ by rounding.
constexpr double least_difference = 1e-12;

/// "FILE: sample 3 of task "x""
std::string place_of(const judged_turn& turn, const verdict& v) {
    return turn.file + ": sample " + std::to_string(v.sample) + " of task \"" + v.task + '"';
}

using samples_of_tasks = std::map<std::pair<std::string_view, std::uint64_t>, const verdict*>;

result<samples_of_tasks> index_of(const judged_turn& turn, const evaluation_setting& setting) {
    samples_of_tasks index;
    for (const auto& v : turn.verdicts) {
        if (v.setting != setting)
            return data_error(turn.file +
                              ": the turns differ in backend, toolchain, protocol or inputs: " +
                              describe(setting) + ", and " + describe(v.setting));
        if (!index.emplace(std::pair(std::string_view(v.task), v.sample), &v).second)
            return usage_error(place_of(turn, v) + " has two verdicts");
    }
    return index;
}

/// Each turn continues chains of the turn before that have not passed.
status check_chains(const std::vector<judged_turn>& turns) {
    if (turns[0].verdicts.empty()) return data_error(turns[0].file + ": there are no verdicts");
    samples_of_tasks before;
    for (std::size_t t = 0; t < turns.size(); ++t) {
        CUSET_ASSIGN(auto own, index_of(turns[t], turns[0].verdicts[0].setting));
        for (const auto& v : turns[t].verdicts) {
            if (t == 0) break;
            const std::string& last = turns[t - 1].file;
            const auto found = before.find({v.task, v.sample});
            if (found == before.end())
                return usage_error(place_of(turns[t], v) + " has no verdict in " + last +
                                   ", the turn before");
            if (found->second->passed())
                return usage_error(place_of(turns[t], v) + " has passed already in " + last);
            if (found->second->task_hash != v.task_hash)
                return usage_error(place_of(turns[t], v) +
                                   " was judged with another version of the task than in " + last);
        }
        before = std::move(own);
    }
    return {};
}

/// What the chains of one task have come to, up to a turn.
struct task_chains {
    std::size_t answered = 0;      ///< chains with a verdict in the first turn
    std::size_t first_passed = 0;  ///< of them, in the first turn
    std::size_t passed = 0;
    double first_tokens = 0, tokens = 0;  ///< of all chains
    bool has_tokens = true;
};

bool is_judged(const verdict& v) {
    return v.why != failure::unsupported && v.why != failure::evaluator;
}

void count_turn(const task_outcomes& task, const task_outcomes* before, turn_rates& counts,
                task_chains& chains) {
    for (std::size_t s = 0; s < task.samples.size(); ++s) {
        const verdict* const v = task.samples[s];
        if (v == nullptr) {
            const verdict* const last = before != nullptr ? before->samples[s] : nullptr;
            counts.missing += last != nullptr && !last->passed() && is_judged(*last);
            continue;
        }
        ++counts.answers;
        counts.passed += v->passed();
        counts.unsupported += v->why == failure::unsupported;
        counts.evaluator += v->why == failure::evaluator;
        chains.passed += v->passed();
        chains.has_tokens = chains.has_tokens && v->tokens.has_value();
        const auto tokens = static_cast<double>(v->tokens.value_or(0));
        chains.tokens += tokens;
        if (before != nullptr) continue;
        ++chains.answered;
        chains.first_passed += v->passed();
        chains.first_tokens += tokens;
    }
}

class turn_counter {
public:
    turn_counter(const outcome_table& first, const turn_report& report)
        : first_(first), report_(report), chains_(first.tasks.size()) {}

    turn_rates next(const outcome_table& turn, const outcome_table* before) {
        turn_rates counts;
        ++turn_;
        std::vector<double> serial;
        for (std::size_t i = 0; i < chains_.size(); ++i) {
            count_turn(turn.tasks[i], before != nullptr ? &before->tasks[i] : nullptr, counts,
                       chains_[i]);
            counts.solved += chains_[i].passed > 0;
            serial.push_back(static_cast<double>(chains_[i].passed) /
                             static_cast<double>(report_.samples));
        }
        counts.serial = rate_of(serial, value_bounds{});
        if (turn_ <= report_.samples) counts.equal_samples = at_equal_samples(serial);
        if (std::all_of(chains_.begin(), chains_.end(),
                        [](const task_chains& c) { return c.answered > 0 && c.has_tokens; }))
            counts.tokens = at_equal_tokens(serial);
        return counts;
    }

private:
    rate rate_of(const std::vector<double>& values, std::optional<value_bounds> bounds) const {
        std::vector<task_value> of;
        for (std::size_t i = 0; i < values.size(); ++i)
            of.push_back({first_.tasks[i].family, values[i]});
        return bootstrap_rate(of, report_.seed, resamples, bounds);
    }

    parallel_rate compare(const std::vector<double>& serial,
                          const std::vector<double>& parallel) const {
        std::vector<double> apart;
        for (std::size_t i = 0; i < serial.size(); ++i) {
            const double difference = serial[i] - parallel[i];
            apart.push_back(std::abs(difference) < least_difference ? 0 : difference);
        }
        // The first turn's rates are one rate: nothing is unsure about their difference.
        const auto bounds =
            turn_ > 1 ? std::optional(value_bounds{-1, 1}) : std::optional<value_bounds>();
        return {rate_of(parallel, value_bounds{}), rate_of(apart, bounds)};
    }

    parallel_rate at_equal_samples(const std::vector<double>& serial) const {
        std::vector<double> parallel;
        for (const auto& c : chains_)
            parallel.push_back(pass_at_k(report_.samples, c.first_passed, turn_));
        return compare(serial, parallel);
    }

    equal_tokens at_equal_tokens(const std::vector<double>& serial) const {
        equal_tokens found;
        std::vector<double> parallel;
        const auto most = static_cast<double>(report_.samples);
        for (const auto& c : chains_) {
            // Both means are over the same chains. Answers without tokens cost nothing.
            double k = c.tokens == c.first_tokens ? 1 : c.tokens / c.first_tokens;
            found.capped += k > most;
            k = std::min(k, most);
            found.tokens += c.tokens / static_cast<double>(c.answered);
            found.answers += k;
            parallel.push_back(pass_at_mean_k(report_.samples, c.first_passed, k));
        }
        found.tokens /= static_cast<double>(chains_.size());
        found.answers /= static_cast<double>(chains_.size());
        found.parallel = compare(serial, parallel);
        return found;
    }

    const outcome_table& first_;
    const turn_report& report_;
    std::vector<task_chains> chains_;
    std::size_t turn_ = 0;
};

}  // namespace

result<turn_report> make_turn_report(const std::vector<counted_task>& tasks,
                                     const std::vector<judged_turn>& turns,
                                     const report_options& options) {
    CUSET_TRY(check_chains(turns));
    const auto all = tasks.empty() ? tasks_of(turns[0].verdicts) : tasks;
    const auto kept = without(all, options.left_out);
    if (kept.empty()) return usage_error("no task is left to count");
    std::vector<std::vector<verdict>> counted;
    for (const auto& turn : turns) {
        auto verdicts = verdicts_on(all, turn.verdicts, options.left_out);
        if (!verdicts) return std::move(verdicts).error().with_prefix(turn.file + ": ");
        counted.push_back(std::move(verdicts).value());
    }
    turn_report report;
    report.setting = turns[0].verdicts[0].setting;
    report.task_data = hash_of(kept);
    report.seed = options.seed;
    report.resamples = resamples;
    report.tasks = kept.size();
    report.left_out = all.size() - kept.size();
    report.samples = options.samples > 0 ? options.samples : samples_of(counted[0]);
    std::vector<outcome_table> tables;
    for (const auto& verdicts : counted) {
        tables.push_back(arrange(kept, verdicts, report.samples));
        report.surplus += tables.back().surplus;
    }
    report.families = tables[0].families;
    turn_counter counter(tables[0], report);
    for (std::size_t t = 0; t < tables.size(); ++t)
        report.turns.push_back(counter.next(tables[t], t > 0 ? &tables[t - 1] : nullptr));
    report.missing = report.tasks * report.samples - report.turns[0].answers;
    return report;
}

}  // namespace cuset
