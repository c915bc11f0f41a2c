#include "cuset/cli/suggestion.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace cuset {
namespace {

/// The optimal string alignment distance, row by row.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(above);
        above.swap(row);
    }
    return above[b.size()];
}

}  // namespace

std::string_view most_like(std::string_view word, std::span<const std::string> known) {
    constexpr std::size_t most_letters = 64;  // longer words are no slips of the hand
    std::string_view nearest;
    // The distance, and among equals the letters more or less: "modle" is "model" before "mode".
    std::pair<std::size_t, std::size_t> least{4, 0};
    if (word.size() > most_letters) return nearest;
    for (const std::string& candidate : known) {
        const std::size_t longer = std::max(word.size(), candidate.size());
        const std::size_t more = longer - std::min(word.size(), candidate.size());
        // A beginning of a word is one slip, however much of it is missing.
        const bool is_beginning = word.size() > 1 && candidate.starts_with(word);
        const std::pair found{is_beginning ? 1 : distance(word, candidate), more};
        if (found >= least || (!is_beginning && 3 * found.first > longer)) continue;
        least = found;
        nearest = candidate;
    }
    return nearest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known,
                         std::string_view dashes) {
    const std::string_view meant = most_like(word, known);
    if (meant.empty()) return {};
    return "; did you mean " + std::string(dashes) + std::string(meant) + '?';
}

}  // namespace cuset
