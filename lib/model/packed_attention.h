// Causal self-attention over a packed batch. Private to lib/model.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace cuset {

/// Samples one after another without padding: rows [first, second) each, beginning at 0.
struct packed_samples {
    std::vector<std::pair<std::int64_t, std::int64_t>> rows;
    std::int64_t longest = 0;  ///< rows of the longest
    at::Tensor boundaries;     ///< on a GPU: where samples begin, and the end, as 32-bit integers
};

/// Nothing waits for the device.
packed_samples packed_on(at::Device device,
                         std::vector<std::pair<std::int64_t, std::int64_t>> rows);

/// softmax(q·kᵀ / √head_dim)·v, where a row sees its own sample's rows up to itself: query [rows ×
/// heads × head_dim], key and value [rows × kv_heads × head_dim], kv_heads dividing heads; comes
/// out as [rows × heads · head_dim]. Differentiable. Memory grows with the rows, not with their
/// square. On a GPU bfloat16 samples are one call of FlashAttention; elsewhere each sample is a
/// call of its own.
at::Tensor packed_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const packed_samples& samples);

}  // namespace cuset
