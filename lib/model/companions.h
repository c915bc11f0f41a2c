// What a model folder holds beside its weights. Private to lib/model.
#pragma once

#include <filesystem>

#include "cuset/base/status.h"

namespace cuset {

/// Copies config, tokenizer and chat template from one folder to another, as far as they are there.
/// `float_weights`: where the config names a type of weights, the copy says float32.
status copy_companions(const std::filesystem::path& from, const std::filesystem::path& to,
                       bool float_weights);

}  // namespace cuset
