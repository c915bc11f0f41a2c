// The files of a model folder beside its weights. Private to lib/model.
#pragma once

#include <filesystem>

#include "cuset/base/status.h"

namespace cuset {

/// Copies config, tokenizer and chat template from one folder to another, if they exist. With
/// `float_weights`, the copy says float32 for the type of weights in the config.
status copy_companions(const std::filesystem::path& from, const std::filesystem::path& to,
                       bool float_weights);

}  // namespace cuset
