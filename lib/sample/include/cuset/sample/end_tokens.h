// Where a model's answer ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/text/tokenizer.h"

namespace cuset {

/// The eos_token_id of generation_config.json (a number or several) or, where that file or the
/// field is missing, of config.json; and the token that the chat template puts behind a reply:
/// the first of `tail`, if it is a special one. A data error for a malformed file.
result<std::vector<std::int32_t>> end_tokens(const std::filesystem::path& model_folder,
                                             const tokenizer& words, std::string_view tail);

}  // namespace cuset
