// How a pair longer than the cut-off length is shortened.
#pragma once

#include <cstddef>

namespace cuset {

/// How many tokens are kept, each counted from its own beginning.
struct kept_lengths {
    std::size_t source = 0;  ///< of the prompt
    std::size_t target = 0;  ///< of the response, template tail included
};

/// LLaMA-Factory's `infer_seqlen`: the cut-off is shared out between prompt and response. A side
/// that needs less than half keeps all of itself and leaves the rest to the other; if both need
/// more than half, the response's share is in proportion to its length. All lengths are in tokens;
/// source + target of the result is at most `cutoff`.
kept_lengths infer_seqlen(std::size_t source_length, std::size_t target_length, std::size_t cutoff);

}  // namespace cuset
