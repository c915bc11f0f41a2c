// Differentiable functions of a decoder that LibTorch lacks, or does slowly. In inference mode,
// where nothing is kept for a backward pass, all but adapted_linear() are LibTorch's operators.
// Private to lib/model.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "dropout_plan.h"
#include "frozen_codes.h"

namespace cuset {

/// x·Wᵀ (+ bias) like frozen_linear, plus scale · (dropout(x)·Aᵀ)·Bᵀ. It is differentiable in x and
/// in the float matrices A [rank × in] and B [out × rank]; bfloat16 matrices are taken without a
/// gradient. For the backward pass it keeps x, dropout(x)·Aᵀ, and W or its codes, not the mask.
///
/// Float x: the update is float throughout. bfloat16 x (on a GPU): all products are of bfloat16
/// matrices and accumulate in float. Rounded to bfloat16 are A, B, dropout(x)·Aᵀ and its gradient;
/// x·Wᵀ and then its sum with the update; and the gradient of x: dy·W, the update's part and their
/// sum. The gradients of A and B are float. Dropout rounds nothing: the factor 1 / (1 − rate) is
/// applied to the [rows × rank] products, in float.
at::Tensor adapted_linear(const at::Tensor& x, const frozen_weight& weight, const at::Tensor& bias,
                          const at::Tensor& a, const at::Tensor& b, double scale,
                          const dropout_plan& plan, std::uint64_t site);

/// x·Wᵀ (+ bias) for a frozen W, differentiable in x. If x is float and W bfloat16 (a CPU with
/// bfloat16 instructions), x is rounded for the product, which accumulates and returns float. The
/// same holds for the gradient. Of codes, W is made again in the backward pass.
at::Tensor frozen_linear(const at::Tensor& x, const frozen_weight& weight, const at::Tensor& bias);

/// x / sqrt(mean(x²) + epsilon) · weight over the last dimension, differentiable in x and weight.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);

/// silu(gate) · up, differentiable in both.
at::Tensor gated(const at::Tensor& gate, const at::Tensor& up);

/// Rotary tables of the rows of a batch, [rows × head_dim / 2] each.
struct rotation {
    at::Tensor cosine, sine;
    at::Tensor negative_sine;  ///< on a CPU
};

/// Rotates every head of x [rows × heads × head_dim] by its row's angles, differentiable in x.
at::Tensor rotated(const at::Tensor& x, const rotation& tables);

}  // namespace cuset
