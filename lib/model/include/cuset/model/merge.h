// A base model and an adapter as one model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

/// Writes a model into the existing folder `merged`: the base's weights, with W + s·B·A
/// (lora_options) for every linear layer that `adapter` updates, and in place of what it holds
/// whole (modules_to_save) the adapter's. Each sum is computed in float and rounded once to the
/// tensor's stored type, or left in float (`keep_float`; the config then says so). Config,
/// tokenizer and template files are the base's. Errors are those of causal_lm::load with an
/// adapter, and io if a file cannot be written.
status merge_adapter(const std::filesystem::path& base, const std::filesystem::path& adapter,
                     const std::filesystem::path& merged, bool keep_float);

struct logit_difference {
    double largest = 0;                ///< |Δ| over all positions and tokens
    double largest_logit = 0;          ///< |logit|, to compare it with
    std::vector<std::string> notes{};  ///< of base and adapter, as causal_lm::notes
};

/// The difference between the logits of the merged model and those of base with adapter, over these
/// tokens, both computed in float.
result<logit_difference> compare_logits(const std::filesystem::path& base,
                                        const std::filesystem::path& adapter,
                                        const std::filesystem::path& merged,
                                        std::span<const std::int32_t> tokens, int threads);

}  // namespace cuset
