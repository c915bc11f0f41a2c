#include "cuset/sample/answer_history.h"

#include <algorithm>

#include "cuset/sample/ngrams.h"

namespace cuset {

void answer_history::add(std::span<const std::int32_t> prompt,
                         std::span<const std::int32_t> answer) {
    if (slots_.empty()) slots_.resize(slots);
    const auto before = prompt.last(std::min(prompt.size(), longest_context));
    std::vector<std::int32_t> text(before.begin(), before.end());
    for (const std::int32_t token : answer) {
        for_contexts(text, [&](std::size_t, std::uint64_t key) {
            slots_[key % slots] = {key, token};
        });
        text.push_back(token);
    }
}

std::optional<std::int32_t> answer_history::next(std::uint64_t key) const {
    if (slots_.empty() || slots_[key % slots].key != key) return {};
    return slots_[key % slots].token;
}

}  // namespace cuset
