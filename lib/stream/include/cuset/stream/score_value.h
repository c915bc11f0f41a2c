// The "score" of a record, as cuset-score and cuset-sample write it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "cuset/stream/json_writer.h"

namespace cuset {

/// Writes {"model","end":[…],"id":[…],"confidence":[…] and leaves the object open. All three spans
/// have one value for each token; a confidence has 6 significant digits and is never 0: the least
/// that a double holds without loss stands for anything below it.
void begin_score(json_writer& json, std::string_view model, std::span<const std::size_t> ends,
                 std::span<const std::int32_t> ids, std::span<const float> log_probabilities);

}  // namespace cuset
