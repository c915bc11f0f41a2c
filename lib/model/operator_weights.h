// A decoder's parameters as tensors on a device, and the parts of a pass in LibTorch's operators
// that scoring and decoding share. Private to lib/model.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "rope_table.h"
#include "weights.h"

namespace cuset {

/// Float; bfloat16 on a GPU where activations are. There x·Aᵀ accumulates in float and is rounded,
/// and the update is added to the rounded x·Wᵀ, as adapted_linear() does in training: float copies
/// of all outputs would take more time and memory than the products.
struct update_tensors {
    at::Tensor a, b;
    double scale = 0;
};

struct linear_tensors {
    at::Tensor weight, bias;
    std::optional<update_tensors> update;

    at::Tensor operator()(const at::Tensor& x) const;
};

struct layer_tensors {
    at::Tensor input_norm, post_attention_norm, query_norm, key_norm;
    linear_tensors query, key, value, output, gate, up, down;
};

/// Activations are in `type`. What takes tensors expects them on `device`.
class operator_weights {
public:
    /// Copies the parameters to the device, a tensor at a time, in bf16 or f32.
    operator_weights(const decoder_weights& weights, bool bfloat16, int device_index);

    at::Tensor norm(const at::Tensor& x, const at::Tensor& weight) const;
    /// Token ids on the device, as indices.
    at::Tensor integers(const std::vector<std::int32_t>& v) const;

    /// Queries, keys and values of rows x: [rows × heads or kv_heads × head_dim], normalised where
    /// the layer does, queries and keys rotated as set_positions() says.
    struct attention_inputs {
        at::Tensor query, key, value;
    };
    attention_inputs attention_of(const layer_tensors& layer, const at::Tensor& x) const;
    /// Rows [first, first + count) of each range are at positions first, first + 1, …
    struct position_range {
        std::int64_t first, count;
    };
    void set_positions(const std::vector<position_range>& ranges);
    /// x after the feed-forward half of a layer.
    at::Tensor feed_forward(const layer_tensors& layer, const at::Tensor& x) const;
    /// Float logits of normed rows.
    at::Tensor logits(const at::Tensor& rows) const;

    model_config config;
    at::Device device;
    at::ScalarType type;
    at::Tensor embedding, head, final_norm;
    std::vector<layer_tensors> layers;

private:
    at::Tensor place(const void* data, at::IntArrayRef shape, at::ScalarType from) const;
    at::Tensor matrix(const weight_matrix& m) const;
    at::Tensor vector(const std::vector<float>& v) const;
    at::Tensor floats(const std::vector<float>& v, at::IntArrayRef shape) const;
    linear_tensors linear(const linear_weights& w) const;
    at::Tensor rotated(const at::Tensor& x) const;

    rope_table table_;
    at::Tensor cosines_, sines_;  ///< the table on the device
    at::Tensor cosine_, sine_;    ///< of the rows, [rows × 1 × head_dim]
};

}  // namespace cuset
