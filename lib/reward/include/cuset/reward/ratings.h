// What the answers of an evaluation are worth: their rewards and advantages, by task, sample and
// turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/verdict.h"
#include "cuset/reward/advantage.h"
#include "cuset/reward/reward_formula.h"

namespace cuset {

struct rating_settings {
    reward_formula formula;
    double discount = 0;                          ///< γ over turns
    std::optional<advantage_settings> advantage;  ///< none: rewards alone
    bool drops_equal = false;  ///< whether a group of equal returns teaches nothing and is left out
};

/// The verdicts of a turn's answers.
struct turn_verdicts {
    std::vector<verdict> own;
    std::vector<verdict> under_check;  ///< second verdicts of the same answers; may be empty
};

enum class rating_kind : unsigned char {
    rated,
    unjudged,  ///< unsupported, or the evaluator failed: neither right nor wrong
    equal,     ///< of a group that drops_equal leaves out
    alone,     ///< the only one of its group, so that there is nothing to compare it with
};

struct rating {
    rating_kind kind = rating_kind::rated;
    double reward = 0;     ///< of the answer itself, without its later turns
    double advantage = 0;  ///< of its discounted return in the group of its task
};

class ratings {
public:
    /// Rates all answers; turns[0] is the first turn. A group is all judged answers of a task, of
    /// all turns. The formula's errors, with the task and the sample.
    static result<ratings> make(const std::vector<turn_verdicts>& turns,
                                const rating_settings& settings);

    /// `turn` counts from 1. Null if there is no verdict.
    const rating* find(const std::string& task, std::uint64_t sample, std::size_t turn) const;

private:
    using answer = std::tuple<std::string, std::uint64_t, std::size_t>;  // task, sample, turn
    void rate_groups(const rating_settings& settings);

    std::map<answer, rating> by_answer_;
};

}  // namespace cuset
