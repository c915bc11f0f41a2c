// The log-probabilities of known tokens, from a model's last hidden states.
#pragma once

#include <ATen/core/Tensor.h>

namespace cuset {

/// log_probability[r] = log softmax(hidden[r] · headᵀ)[targets[r]], at most 0; NaN if a logit of
/// the row is NaN or +inf, or all are -inf. On one device: hidden [rows × k] of any layout; head
/// [vocab × k], dense, float or bfloat16; targets [rows], 32-bit integers in 0 … vocab - 1;
/// log_probability [rows], float. The products' types are those of float_product(); the absolute
/// error of log p in addition to theirs is below 4e-6 + 4e-7 · |log p| at 152,064 tokens. On a CPU
/// each of LibTorch's threads multiplies and sums a tile of at most 512 rows × 512 tokens at a
/// time; no other logits exist. On a GPU it calls log_probabilities_by_strips(). Records nothing
/// for autograd; throws LibTorch's exceptions.
void target_log_probabilities(const at::Tensor& hidden, const at::Tensor& head,
                              const at::Tensor& targets, const at::Tensor& log_probability);

/// The same with whole rows of logits, 256 MiB at a time. Does not wait for the device.
void log_probabilities_by_strips(const at::Tensor& hidden, const at::Tensor& head,
                                 const at::Tensor& targets, const at::Tensor& log_probability);

}  // namespace cuset
