// How far two programs are apart, in tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cuset {

/// The fewest tokens that have to go or come for `a` to become `b`, or `most` if that is less. The
/// greedy algorithm of Myers (Algorithmica 1, 1986): time and memory grow with the tokens and the
/// distance, so that near ones are found fast.
std::size_t token_distance(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                           std::size_t most);

}  // namespace cuset
