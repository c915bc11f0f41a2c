// Guesses how an answer goes on without a second model: programs repeat themselves, their prompts
// and other answers, so what came after the last few tokens once may come again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "cuset/sample/answer_history.h"

namespace cuset {

class ngram_draft {
public:
    /// Drafts have at most `longest` tokens; 0 makes every draft empty, at no cost. `others`: other
    /// answers, which outlive this, or null.
    explicit ngram_draft(std::size_t longest = 0, const answer_history* others = nullptr)
        : longest_(longest), wanted_(longest), others_(others) {}

    /// The next tokens of prompt and answer.
    void extend(std::span<const std::int32_t> tokens);

    /// What followed the last occurrence of the last eight tokens in other answers, or else of the
    /// last three in prompt and answer, of four in others, or of two here: at most `most` tokens,
    /// and at most one more than were right the last time.
    std::vector<std::int32_t> propose(std::size_t most) const;

    /// How many tokens of the last draft, which was not empty, were right.
    void judge(std::size_t right) { wanted_ = right + 1 < longest_ ? right + 1 : longest_; }

private:
    static constexpr std::size_t orders[] = {3, 2};

    std::uint64_t key(std::size_t order, std::size_t end) const;
    std::vector<std::int32_t> own(std::size_t order, std::size_t most) const;

    std::size_t longest_, wanted_;
    const answer_history* others_;
    std::vector<std::int32_t> tokens_;
    /// Where the token after the last occurrence of an n-gram is. The last token has none yet.
    std::unordered_map<std::uint64_t, std::size_t> next_;
};

}  // namespace cuset
