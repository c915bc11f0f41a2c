// Cosines and sines of the rotary embedding. Private to lib/model.
#pragma once

#include <cstdint>
#include <vector>

#include "cuset/model/config.h"

namespace cuset {

/// cos and sin of position × frequency, [positions × head_dim / 2] each. They are computed in float
/// by the same operators as in transformers: at position 4096 one rounding of a frequency changes
/// an angle by 1e-4, so a more exact table would be further from the models' own.
struct rope_table {
    std::vector<float> cosine, sine;
    std::int64_t positions = 0;

    /// Makes the table hold `count` positions. If it must grow, it at least doubles, since longer
    /// texts than all before come only a few times in a run. Returns whether it grew. Every call
    /// must have the same config.
    bool cover(const model_config& config, std::int64_t count);
};

}  // namespace cuset
