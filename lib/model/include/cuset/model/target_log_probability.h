// What a model gives known tokens, from its last hidden states, on a CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace cuset {

/// log_probability[r] = log softmax(hidden[r] · headᵀ)[targets[r]], at most 0, for hidden
/// [rows × k] and head [vocab × k], dense, in memory of the CPU; NaN where a logit is NaN or +inf.
/// Types of the products are float_product()'s. A tile of 512 rows × 512 tokens is multiplied and
/// summed at a time on each of LibTorch's threads: the [rows × vocab] logits never exist. Records
/// nothing for autograd.
void target_log_probabilities(const at::Tensor& hidden, const at::Tensor& head,
                              const std::int32_t* targets, float* log_probability);

}  // namespace cuset
