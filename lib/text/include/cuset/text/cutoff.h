// Shortens a pair that is longer than the cut-off length.
#pragma once

#include <cstddef>

namespace cuset {

/// The number of tokens that are kept, each counted from its own beginning.
struct kept_lengths {
    std::size_t source = 0;  ///< of the prompt
    std::size_t target = 0;  ///< of the response, template tail included
};

/// LLaMA-Factory's `infer_seqlen`: prompt and response share the cut-off. A side that needs less
/// than half keeps all and leaves the rest to the other. If both need more than half, the
/// response's share is proportional to its length. All lengths are in tokens; source + target of
/// the result is at most `cutoff`.
kept_lengths infer_seqlen(std::size_t source_length, std::size_t target_length, std::size_t cutoff);

}  // namespace cuset
