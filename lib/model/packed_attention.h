// Causal self-attention over a packed batch. Private to lib/model.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace cuset {

/// Samples one after another without padding: each has the rows [first, second); the first begins
/// at 0.
struct packed_samples {
    std::vector<std::pair<std::int64_t, std::int64_t>> rows;
    std::int64_t longest = 0;  ///< rows of the longest
    at::Tensor boundaries;     ///< on a GPU: the beginning of each sample, and the end, as 32-bit
                               ///< integers
};

/// Nothing waits for the device.
packed_samples packed_on(at::Device device,
                         std::vector<std::pair<std::int64_t, std::int64_t>> rows);

/// softmax(q·kᵀ / √head_dim)·v, where a row sees the rows of its own sample up to itself. query is
/// [rows × heads × head_dim], key and value are [rows × kv_heads × head_dim], and kv_heads divides
/// heads; the result is [rows × heads · head_dim]. It is differentiable. Memory grows with the
/// rows, not with their square.
///
/// On a CPU, float input takes row_attention.h; with `bfloat16_products`, the inputs of its
/// products, forward and backward, are rounded to bfloat16. On a GPU, bfloat16 samples share one
/// call of FlashAttention. Otherwise, and in inference mode, each sample has its own call of
/// LibTorch's.
at::Tensor packed_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const packed_samples& samples, bool bfloat16_products);

}  // namespace cuset
