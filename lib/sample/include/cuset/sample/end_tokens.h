// The tokens that end a model's answer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/text/tokenizer.h"

namespace cuset {

/// Reads the eos_token_id (a number or several) of generation_config.json, or of config.json if
/// that file or the field is missing. Adds the token that the chat template puts after a reply: the
/// first of `tail`, if it is a special token. A data error for a malformed file.
result<std::vector<std::int32_t>> end_tokens(const std::filesystem::path& model_folder,
                                             const tokenizer& words, std::string_view tail);

}  // namespace cuset
