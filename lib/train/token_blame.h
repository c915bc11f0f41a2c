// Which tokens of a judged response its verdict is held against. Private to lib/train.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cuset/train/objective.h"

namespace cuset {

/// 1 for each token that has a loss, 0 for the others. `sensitive`: CUDA tokens; null or empty:
/// none. `log_p`: of the tokens, by the model whose confidence decides.
std::vector<double> token_blame(const objective_settings& settings, std::size_t tokens,
                                const std::vector<bool>* sensitive, std::span<const float> log_p);

/// How many they are.
std::size_t blamed_tokens(const objective_settings& settings, std::size_t tokens,
                          const std::vector<bool>* sensitive, std::span<const float> log_p);

}  // namespace cuset
