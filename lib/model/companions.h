// The files of a model folder beside its weights. Private to lib/model.
#pragma once

#include <filesystem>

#include "cuset/base/status.h"

namespace cuset {

/// What the config of a copied folder says of its weights. They are not quantised, so that it has
/// no quantization_config.
struct stored_weights {
    bool in_float = false;        ///< float32 for their type, in place of what it says
    bool tied_embeddings = true;  ///< false: the head is a matrix of its own, whatever it says
};

/// Copies config, tokenizer and chat template from one folder to another, if they exist.
status copy_companions(const std::filesystem::path& from, const std::filesystem::path& to,
                       const stored_weights& weights);

}  // namespace cuset
