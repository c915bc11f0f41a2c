// Cosines and sines of the rotary embedding. Private to lib/model.
#pragma once

#include <cstdint>
#include <vector>

#include "cuset/model/config.h"

namespace cuset {

/// cos and sin of position × frequency, [positions × head_dim / 2] each. Computed in float by the
/// operators transformers uses: at position 4096 one rounding of a frequency is worth 1e-4 of an
/// angle, so a more exact table would be further from the models' own.
struct rope_table {
    std::vector<float> cosine, sine;
    std::int64_t positions = 0;

    /// Makes the table hold `count` positions, and at least twice as many as before where it has to
    /// grow: a longer text than all before comes a few times in a run. Tells whether it grew. Every
    /// call has the same config.
    bool cover(const model_config& config, std::int64_t count);
};

}  // namespace cuset
