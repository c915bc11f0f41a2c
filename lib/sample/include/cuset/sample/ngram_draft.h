// Guesses how an answer goes on without a second model: programs repeat themselves, their prompts
// and other answers, so what came after the last few tokens once may come again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "cuset/sample/answer_history.h"
#include "cuset/sample/ngrams.h"

namespace cuset {

/// How often guesses were right lately, by the length of their context and by whether it stood in
/// the same text or in another answer.
class guess_accuracy {
public:
    static constexpr std::size_t kinds = 2 * std::size(context_lengths);
    guess_accuracy() { std::fill(std::begin(shares_), std::end(shares_), at_first); }

    double of(std::size_t kind) const { return shares_[kind]; }
    void count(std::size_t kind, bool right) {
        shares_[kind] += ((right ? 1.0 : 0.0) - shares_[kind]) * forgetting;
    }

private:
    static constexpr double at_first = 0.5, forgetting = 0.02;
    double shares_[kinds];
};

/// What the answers of a run know of each other.
struct draft_memory {
    answer_history answers;
    guess_accuracy accuracy;
};

class ngram_draft {
public:
    /// `longest`: 0 makes every draft empty, at no cost. `run` outlives this.
    ngram_draft(std::size_t longest, draft_memory& run) : longest_(longest), run_(&run) {}

    /// Takes up the prompt, before any token of the answer.
    void read(std::span<const std::int32_t> prompt);
    /// The next token of the answer. It also tells how good a guess would have been.
    void extend(std::int32_t token);

    /// A guess after the other: what followed the last occurrence of the longest known context
    /// (ngrams.h), in prompt and answer or else in other answers. At most `longest` and `most`
    /// tokens, and only those that are right, with all before them, in a share of at least `least`
    /// of such cases.
    std::vector<std::int32_t> propose(std::size_t most, double least) const;

private:
    struct guess {
        std::int32_t token;
        std::size_t kind;
    };
    std::optional<guess> next(std::span<const std::int32_t> text) const;
    void learn(std::int32_t token);

    std::size_t longest_;
    draft_memory* run_;
    std::vector<std::int32_t> tokens_;
    /// The token after the last occurrence of a context. The last tokens have none yet.
    std::unordered_map<std::uint64_t, std::int32_t> next_;
};

}  // namespace cuset
