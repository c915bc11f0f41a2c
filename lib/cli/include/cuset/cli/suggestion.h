// What a user may have meant by a word that is none of those that there are.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cuset {

/// The word of `known` that is most like `word`: the one with the fewest letters inserted, left
/// out, replaced or exchanged with their neighbour (the optimal string alignment distance), of
/// equals the one of the most similar length, and then the first; a beginning of two letters or more counts as 1. Empty if the distance is more
/// than a third of the longer word, or more than 3.
std::string_view most_like(std::string_view word, std::span<const std::string> known);

/// "; did you mean --model?", with `dashes` before the word of most_like(); empty if there is none.
std::string did_you_mean(std::string_view word, std::span<const std::string> known,
                         std::string_view dashes = {});

}  // namespace cuset
