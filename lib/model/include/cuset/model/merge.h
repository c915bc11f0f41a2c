// A base model and an adapter as one model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/model/config.h"

namespace cuset {

struct merge_options {
    bool keep_float = false;  ///< weights are stored in float, and the config says so
    /// As model_options::quantise: the update is added to the base that an adapter was trained on
    /// with that. A base that is stored quantised is dequantised in any case.
    quantisation quantise = quantisation::none;
    int threads = 0;  ///< 0 = every core this process may use
};

/// Writes a model into the existing folder `merged`: the base's weights, with W + s·B·A
/// (lora_options) for every linear layer that `adapter` updates, and in place of what it holds
/// whole (modules_to_save) the adapter's. Each sum is computed in float, of a quantised W from its
/// dequantised values, and rounded once to the tensor's stored type (of a W that is stored
/// quantised, its type before), or left in float. The result is not quantised. Config, tokenizer
/// and template files are the base's. An empty `adapter` is none. Errors are those of
/// causal_lm::load with an adapter, and io if a file cannot be written.
status merge_adapter(const std::filesystem::path& base, const std::filesystem::path& adapter,
                     const std::filesystem::path& merged, const merge_options& options);

struct logit_difference {
    double largest = 0;                ///< |Δ| over all positions and tokens
    double largest_logit = 0;          ///< |logit|, to compare it with
    std::vector<std::string> notes{};  ///< of base and adapter, as causal_lm::notes
};

/// The difference between the logits of the merged model and those of base with adapter, over these
/// tokens, both computed in float. `options` as for the merge.
result<logit_difference> compare_logits(const std::filesystem::path& base,
                                        const std::filesystem::path& adapter,
                                        const std::filesystem::path& merged,
                                        const merge_options& options,
                                        std::span<const std::int32_t> tokens);

}  // namespace cuset
