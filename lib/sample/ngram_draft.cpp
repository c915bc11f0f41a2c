#include "cuset/sample/ngram_draft.h"

#include <algorithm>

namespace cuset {

void ngram_draft::learn(std::int32_t token) {
    for_contexts(tokens_, [&](std::size_t, std::uint64_t key) { next_[key] = token; });
    tokens_.push_back(token);
}

void ngram_draft::read(std::span<const std::int32_t> prompt) {
    if (longest_ == 0) return;
    for (const std::int32_t token : prompt) learn(token);
}

void ngram_draft::extend(std::int32_t token) {
    if (longest_ == 0) return;
    if (const auto guessed = next(tokens_))
        run_->accuracy.count(guessed->kind, guessed->token == token);
    learn(token);
}

std::optional<ngram_draft::guess> ngram_draft::next(std::span<const std::int32_t> text) const {
    std::optional<guess> found;
    for_contexts(text, [&](std::size_t index, std::uint64_t key) {
        if (found) return;
        if (const auto own = next_.find(key); own != next_.end())
            found = {own->second, 2 * index};
        else if (const auto other = run_->answers.next(key))
            found = {*other, 2 * index + 1};
    });
    return found;
}

std::vector<std::int32_t> ngram_draft::propose(std::size_t most, double least) const {
    if (longest_ == 0) return {};
    const std::size_t before = std::min(tokens_.size(), longest_context);
    std::vector<std::int32_t> text(tokens_.end() - static_cast<std::ptrdiff_t>(before),
                                   tokens_.end());
    double all_right = 1;
    for (most = std::min(most, longest_); most > 0; --most) {
        const auto guessed = next(text);
        if (!guessed) break;
        all_right *= run_->accuracy.of(guessed->kind);
        if (all_right < least) break;
        text.push_back(guessed->token);
    }
    text.erase(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(before));
    return text;
}

}  // namespace cuset
