// Draws the next token from a model's logits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

/// As in transformers and vLLM: softmax of logits / temperature, then the top_k likeliest tokens,
/// then the fewest of them whose share of the remaining probability reaches top_p.
struct token_choice_options {
    double temperature = 1;  ///< 0, or below 1e-5: always the likeliest token
    double top_p = 1;        ///< in (0, 1]
    std::size_t top_k = 0;   ///< 0: all
};

/// It reuses its buffers: use one for each thread.
class token_choice {
public:
    explicit token_choice(token_choice_options options) : options_(options) {}

    /// Chooses a token of `logits` (one float each). `bits`: 64 random bits; the same bits and
    /// logits give the same token. If tokens are equally likely, the one with the lower number
    /// counts as the likelier. A data error if a logit is NaN or +infinite, or none is finite;
    /// -infinity marks a token that cannot be.
    result<std::int32_t> choose(std::span<const float> logits, std::uint64_t bits);

private:
    std::size_t keep_likeliest(std::size_t vocabulary);

    token_choice_options options_;
    std::vector<float> scaled_, probabilities_;
    std::vector<std::int32_t> likeliest_;
};

}  // namespace cuset
