// The decoder in LibTorch's operators, differentiable or not. It trains on every device, and scores
// and decodes on a GPU, and where processes share a base. On a CPU it is also the second
// implementation, with which tests compare fused_forward and row_decoder. Private to lib/model.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "autograd_functions.h"
#include "frozen_codes.h"
#include "rope_table.h"
#include "sharded_layers.h"
#include "weights.h"

namespace cuset {

struct tensor_placement;

/// y = x·Wᵀ + bias (+ scale · (x·Aᵀ)·Bᵀ, if A is defined).
struct linear_tensors {
    at::Tensor weight, bias, a, b;
    double scale = 0;
    std::shared_ptr<const frozen_codes> codes;  ///< in the place of `weight`, or null

    std::int64_t inputs() const { return codes ? codes->columns() : weight.size(1); }
    std::int64_t outputs() const { return codes ? codes->rows() : weight.size(0); }
    /// W as it is placed.
    frozen_weight frozen(const tensor_placement& placement) const;
};

struct layer_tensors {
    at::Tensor input_norm, post_attention_norm;                ///< [hidden]
    at::Tensor query_norm, key_norm;                           ///< [head_dim], or undefined
    std::array<linear_tensors, linear_layers.size()> linears;  ///< in the order of linear_layers
};

/// What becomes of a quantised matrix: it is dequantised once, or for each product, from the codes
/// that were loaded (on a CPU) or from a copy of them on the device.
enum class code_use : unsigned char { once, shared, copied };

/// The device of a decoder's tensors, and the type of each kind of them: float or bfloat16.
struct tensor_placement {
    at::Device device;
    at::ScalarType activations;
    at::ScalarType matrices;
    at::ScalarType vectors;  ///< weights of norms, biases
    at::ScalarType updates;  ///< an adapter's A and B
    bool own_matrices;       ///< copied even if the file's pages could be used
    code_use codes = code_use::once;
};

/// What every layer needs to know about the rows of a pass, which are pieces of sequences one after
/// another.
struct pass_rows {
    /// The attention of one layer: query [rows × heads × head_dim], key and value [rows × kv_heads
    /// × head_dim], normed and rotated. Returns [rows × heads · head_dim].
    std::function<at::Tensor(std::size_t layer, const at::Tensor& query, const at::Tensor& key,
                             const at::Tensor& value)>
        attend;
    rotation angles;
    dropout_plan dropout;
    bool adapter = true;
};

/// Only one thread at a time may use an object. Functions throw LibTorch's exceptions.
class torch_decoder {
public:
    /// Copies the parameters to the device, a tensor at a time. Without own_matrices, `weights`
    /// must outlive the decoder. `shared` has the linear weights, if it is given.
    torch_decoder(const decoder_weights& weights, const tensor_placement& placement,
                  std::shared_ptr<sharded_layers> shared = nullptr);

    /// Rows [first row, end row) of each sample attend only to their own sample.
    std::shared_ptr<pass_rows> packed_rows(
        std::vector<std::pair<std::int64_t, std::int64_t>> samples);

    /// Consecutive tokens of one sequence; the position is that of the first.
    struct piece {
        std::int64_t position, count;
    };
    rotation angles_of(std::span<const piece> pieces);

    /// The `wanted` rows after the final norm, [wanted × hidden].
    at::Tensor hidden_rows(std::span<const std::int32_t> tokens,
                           std::span<const std::int64_t> wanted,
                           const std::shared_ptr<const pass_rows>& rows) const;

    model_config config;
    tensor_placement placement;
    at::Tensor embedding, head;  ///< [vocab × hidden]; one tensor if they are tied
    at::Tensor final_norm;
    std::vector<layer_tensors> layers;
    /// Null, or where the layers' linear weights are fetched from, which then are views of its
    /// room.
    std::shared_ptr<sharded_layers> shared;
    /// A differentiable pass keeps only the layers' inputs, and computes the rest again in the
    /// backward pass.
    bool recompute = false;

private:
    at::Tensor linear(std::size_t layer, std::size_t which, const at::Tensor& x,
                      const pass_rows& rows) const;
    at::Tensor norm(const at::Tensor& x, const at::Tensor& weight) const;
    at::Tensor attention(std::size_t layer, const at::Tensor& x, const pass_rows& rows) const;
    at::Tensor layer_output(std::size_t layer, const at::Tensor& x, const pass_rows& rows,
                            pass_direction direction) const;

    rope_table table_;
    at::Tensor cosines_, sines_;  ///< the table on the device, [positions × head_dim / 2]
};

/// For passes without gradients: every tensor in bfloat16 or float, on a GPU or, if device_index <
/// 0, the CPU.
tensor_placement inference_placement(bool bfloat16, int device_index);

/// For passes without gradients of a base that processes share. On a CPU activations are float, and
/// matrices bfloat16 only if the processor multiplies them.
tensor_placement shared_placement(bool bfloat16, int device_index);

/// The layers of `weights`, so placed, of which this process keeps a part; null if there is one
/// part alone.
std::shared_ptr<sharded_layers> shared_layers(decoder_weights& weights, bool bfloat16,
                                              int device_index, base_part part);

}  // namespace cuset
