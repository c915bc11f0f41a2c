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

std::span<const std::int32_t> ngram_draft::propose(std::size_t most) const {
    if (longest_ == 0) return {};
    for (const std::size_t order : orders) {
        if (tokens_.size() < order) continue;
        const auto found = next_.find(key(order, tokens_.size()));
        if (found == next_.end()) continue;
        const std::size_t count = std::min({most, wanted_, tokens_.size() - found->second});
        return std::span(tokens_).subspan(found->second, count);
    }
    return {};
}

}  // namespace cuset
