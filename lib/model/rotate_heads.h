// Prepares queries and keys for attention. Private to lib/model.
#pragma once

#include <cstdint>

#include "cuset/kernels/decoder_rows.h"
#include "rope_table.h"
#include "weights.h"

namespace cuset {

/// The query heads of one row, followed by its key heads. Each is normalised if the layer does so
/// (Qwen3) and rotated to `position`. `from` is overwritten; `to` may be `from`.
template <class Output>
void rotate_heads(const layer_weights& layer, const model_config& config, const rope_table& rope,
                  std::int64_t position, float* from, Output* to) {
    const std::int64_t width = config.head_dim;
    const auto size = static_cast<std::size_t>(width);
    const float* cosine = rope.cosine.data() + position * (width / 2);
    const float* sine = rope.sine.data() + position * (width / 2);
    for (std::int64_t head = 0; head < config.heads + config.kv_heads; ++head) {
        float* x = from + head * width;
        const auto& norm = head < config.heads ? layer.query_norm : layer.key_norm;
        if (!norm.empty()) {
            kernels::rms_norm(x, norm.data(), static_cast<float>(config.norm_epsilon), 1, size, x);
        }
        kernels::rotate(x, cosine, sine, size, to + head * width);
    }
}

}  // namespace cuset
