#include "cuset/sample/ngram_draft.h"

#include <algorithm>

#include "cuset/base/random_key.h"

namespace cuset {

/// Of the `order` tokens before `end`. Two n-grams with one key would only cost a wrong draft.
std::uint64_t ngram_draft::key(std::size_t order, std::size_t end) const {
    std::uint64_t key = order;
    for (std::size_t i = end - order; i < end; ++i)
        key = mixed_key(key, static_cast<std::uint64_t>(tokens_[i]));
    return key;
}

void ngram_draft::extend(std::span<const std::int32_t> tokens) {
    if (longest_ == 0) return;
    for (const std::int32_t token : tokens) {
        const std::size_t at = tokens_.size();
        for (const std::size_t order : orders)
            if (at >= order) next_[key(order, at)] = at;
        tokens_.push_back(token);
    }
}

std::vector<std::int32_t> ngram_draft::own(std::size_t order, std::size_t most) const {
    if (tokens_.size() < order) return {};
    const auto found = next_.find(key(order, tokens_.size()));
    if (found == next_.end()) return {};
    const auto text = std::span(tokens_).subspan(found->second);
    const auto draft = text.first(std::min(most, text.size()));
    return {draft.begin(), draft.end()};
}

std::vector<std::int32_t> ngram_draft::propose(std::size_t most) const {
    if (longest_ == 0) return {};
    most = std::min(most, wanted_);
    std::vector<std::int32_t> draft;
    const auto from_others = [&](std::size_t context) {
        if (draft.empty() && others_ != nullptr) draft = others_->find(tokens_, context, most);
    };
    from_others(answer_history::longest_context);
    if (draft.empty()) draft = own(orders[0], most);
    from_others(answer_history::shortest_context);
    if (draft.empty()) draft = own(orders[1], most);
    return draft;
}

}  // namespace cuset
