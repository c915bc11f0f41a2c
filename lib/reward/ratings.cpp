#include "cuset/reward/ratings.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cuset/base/visible_text.h"

namespace cuset {

namespace {

using sample_name = std::pair<std::string, std::uint64_t>;

std::set<sample_name> right_ones(const std::vector<verdict>& verdicts) {
    std::set<sample_name> right;
    for (const verdict& v : verdicts)
        if (v.passed()) right.emplace(v.task, v.sample);
    return right;
}

bool is_judged(const verdict& v) {
    return v.why != failure::unsupported && v.why != failure::evaluator;
}

}  // namespace

result<ratings> ratings::make(const std::vector<turn_verdicts>& turns,
                              const rating_settings& settings) {
    ratings made;
    for (std::size_t turn = 1; turn <= turns.size(); ++turn) {
        const std::set<sample_name> right = right_ones(turns[turn - 1].under_check);
        for (const verdict& v : turns[turn - 1].own) {
            rating& rated = made.by_answer_[{v.task, v.sample, turn}];
            if (!is_judged(v)) {
                rated.kind = rating_kind::unjudged;
                continue;
            }
            const bool is_right_under_check =
                v.passed() && (is_checked(v.setting) || right.contains({v.task, v.sample}));
            const auto reward = settings.formula.of(v, is_right_under_check);
            if (!reward)
                return data_error("task \"" + visible_text(v.task) + "\", sample " +
                                  std::to_string(v.sample) + ": " + reward.error().message());
            rated.reward = *reward;
        }
    }
    if (settings.advantage) made.rate_groups(settings);
    return made;
}

void ratings::rate_groups(const rating_settings& settings) {
    // The map has a task's answers side by side, and of these the turns of a sample.
    for (auto begin = by_answer_.begin(); begin != by_answer_.end();) {
        const std::string& task = std::get<0>(begin->first);
        std::vector<rating*> group;
        std::vector<double> returns;
        auto at = begin;
        while (at != by_answer_.end() && std::get<0>(at->first) == task) {
            const std::uint64_t sample = std::get<1>(at->first);
            std::vector<double> turns;
            std::size_t next = std::get<2>(at->first);
            // Turns that follow each other; what was not judged ends them.
            while (at != by_answer_.end() && at->first == answer(task, sample, next) &&
                   at->second.kind == rating_kind::rated) {
                group.push_back(&at->second);
                turns.push_back(at->second.reward);
                ++at;
                ++next;
            }
            discount(turns, settings.discount);
            returns.insert(returns.end(), turns.begin(), turns.end());
            if (turns.empty()) ++at;
        }
        const bool are_equal =
            std::ranges::adjacent_find(returns, std::not_equal_to<>()) == returns.end();
        if (group.size() > 1) make_advantages(returns, *settings.advantage);
        for (std::size_t i = 0; i < group.size(); ++i) {
            if (group.size() == 1)
                group[i]->kind = rating_kind::alone;
            else if (are_equal && settings.drops_equal)
                group[i]->kind = rating_kind::equal;
            else
                group[i]->advantage = returns[i];
        }
        begin = at;
    }
}

const rating* ratings::find(const std::string& task, std::uint64_t sample, std::size_t turn) const {
    const auto found = by_answer_.find({task, sample, turn});
    return found == by_answer_.end() ? nullptr : &found->second;
}

}  // namespace cuset
