// The log-probabilities of known tokens, from a model's last hidden states, on a CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace cuset {

/// log_probability[r] = log softmax(hidden[r] · headᵀ)[targets[r]], at most 0; NaN if a logit of
/// the row is NaN or +inf, or all are -inf. All is CPU memory: hidden [rows × k] of any layout;
/// head [vocab × k], dense, float or bfloat16; targets [rows], each in 0 … vocab - 1. The products'
/// types are those of float_product(); the absolute error of log p that comes on top is below 4e-6
/// + 4e-7 · |log p| at 152,064 tokens. Each of LibTorch's threads multiplies and sums a tile of at
/// most 512 rows × 512 tokens at a time; no other logits exist. Records nothing for autograd;
/// throws what LibTorch throws.
void target_log_probabilities(const at::Tensor& hidden, const at::Tensor& head,
                              const std::int32_t* targets, float* log_probability);

}  // namespace cuset
