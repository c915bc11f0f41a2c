// What a forward pass takes and gives, whichever way it runs. Private to lib/model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cuset/model/causal_lm.h"
#include "weights.h"

namespace cuset {

class sharded_layers;

/// One sample's rows of a packed batch: inputs [begin, end) of packed_batch::inputs. Row i of the
/// sample predicts the token after it; predictions are wanted from row `first_scored` on.
struct packed_sample {
    std::int64_t begin = 0;
    std::int64_t first_scored = 0;  ///< in [begin, end)
    std::int64_t end = 0;
};

/// Whole samples one after another without padding. A sample of n tokens has n - 1 rows: nothing
/// depends on its last token's.
struct packed_batch {
    std::vector<std::int32_t> inputs;
    std::vector<packed_sample> samples;
    std::vector<std::int32_t> targets;  ///< the scored rows' next tokens, sample after sample
};

class forward_pass {
public:
    virtual ~forward_pass() = default;
    /// log_probability[i] of targets[i]; NaN if logits were not finite. May throw what
    /// LibTorch or an allocation throws: causal_lm catches it.
    virtual void run(const packed_batch& batch, std::span<float> log_probability) = 0;
};

/// The CPU pass with its own kernels between the products. With `bfloat16_products`, every matrix
/// in `weights` must be bf16. `weights` must outlive it.
std::unique_ptr<forward_pass> make_fused_forward(const decoder_weights& weights,
                                                 bool bfloat16_products, int threads);

/// The pass in LibTorch's operators, in bf16 or f32, on the CPU (device_index < 0) or a GPU, where
/// parameters are copied to, a tensor at a time. `weights` must outlive it.
std::unique_ptr<forward_pass> make_torch_forward(const decoder_weights& weights, bool bfloat16,
                                                 int device_index);

/// The same for a base that processes share, with the layers that shared_layers() gives: all
/// processes must run as many passes. Null layers are those of one process alone.
std::unique_ptr<forward_pass> make_shared_forward(const decoder_weights& weights, bool bfloat16,
                                                  int device_index,
                                                  std::shared_ptr<sharded_layers> layers);

}  // namespace cuset
