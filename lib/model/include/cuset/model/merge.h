// A base model and an adapter as one model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "cuset/base/status.h"

namespace cuset {

/// Writes into the existing folder `merged` the base's weights with W + alpha / rank · B·A for
/// every linear layer that `adapter` updates, computed in float and rounded once to each tensor's
/// stored type, or left in float (`keep_float`, which the config then says); and the base's config,
/// tokenizer and template files. Errors as causal_lm::load with an adapter; io where a file cannot
/// be written.
status merge_adapter(const std::filesystem::path& base, const std::filesystem::path& adapter,
                     const std::filesystem::path& merged, bool keep_float);

struct logit_difference {
    double largest = 0;        ///< |Δ| over all positions and tokens
    double largest_logit = 0;  ///< |logit|, to compare it with
};

/// How far the merged model's logits are from base and adapter's, over these tokens, both computed
/// in float.
result<logit_difference> compare_logits(const std::filesystem::path& base,
                                        const std::filesystem::path& adapter,
                                        const std::filesystem::path& merged,
                                        std::span<const std::int32_t> tokens, int threads);

}  // namespace cuset
