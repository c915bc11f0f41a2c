// What a model gives known tokens, from its last hidden states, on a CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace cuset {

/// log_probability[r] = log softmax(hidden[r] · headᵀ)[targets[r]], at most 0; NaN where a logit of
/// the row is NaN or +inf, or all are -inf. In memory of the CPU: hidden [rows × k] of any layout;
/// head [vocab × k], dense, float or bfloat16; targets [rows], each in 0 … vocab - 1. Types of the
/// products are float_product()'s; absolute error of log p beside theirs below 4e-6 + 4e-7 · |log
/// p| at 152,064 tokens. A tile of at most 512 rows × 512 tokens is multiplied and summed at a time
/// on each of LibTorch's threads: no more logits than that exist. Records nothing for autograd;
/// throws what LibTorch throws.
void target_log_probabilities(const at::Tensor& hidden, const at::Tensor& head,
                              const std::int32_t* targets, float* log_probability);

}  // namespace cuset
