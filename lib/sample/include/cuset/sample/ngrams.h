// The last few tokens of a text as a key of a table. Two n-grams with one key would only cost a
// wrong guess.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cuset/base/random_key.h"

namespace cuset {

/// How many tokens tell what comes next: the longest context that is known counts.
inline constexpr std::size_t context_lengths[] = {8, 4, 3, 2, 1};
inline constexpr std::size_t longest_context = context_lengths[0];

/// Calls each(index of the length, key) for the last tokens of `text`, the longest context first.
template <class Each>
void for_contexts(std::span<const std::int32_t> text, const Each& each) {
    std::size_t index = 0;
    for (const std::size_t length : context_lengths) {
        if (length <= text.size()) {
            std::uint64_t key = length;
            for (const std::int32_t token : text.last(length))
                key = mixed_key(key, static_cast<std::uint64_t>(token));
            each(index, key);
        }
        ++index;
    }
}

}  // namespace cuset
