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
};

/// The table for at least `positions` positions.
rope_table make_rope_table(const model_config& config, std::int64_t positions);

}  // namespace cuset
