// Differentiable pieces of a decoder that LibTorch lacks or does slowly. Private to lib/model.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace cuset {

/// Rows [begin, end) of a packed batch belong to one sample with a dropout key of its own.
struct dropout_rows {
    std::int64_t begin = 0, end = 0;
    std::uint64_t key = 0;
};

/// How a layer drops elements out: which, by the rows' keys and `site`, which tells the modules of
/// a model apart. A rate of 0 leaves everything as it is.
struct dropout_plan {
    std::vector<dropout_rows> rows;
    double rate = 0;
};

/// x [rows × width], float, with elements zeroed and the rest divided by 1 − rate. The mask of a
/// row depends on its sample's key, `site` and its place in the sample alone, on every device.
at::Tensor dropped_out(const at::Tensor& x, const dropout_plan& plan, std::uint64_t site);

/// x·Wᵀ (+ bias) as frozen_linear, plus scale · (dropout(x)·Aᵀ)·Bᵀ in float, differentiable in x, A
/// and B. Keeps x and dropout(x)·Aᵀ for the way back, not the mask.
at::Tensor adapted_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                          const at::Tensor& a, const at::Tensor& b, double scale,
                          const dropout_plan& plan, std::uint64_t site);

/// x·Wᵀ (+ bias) for a frozen W, differentiable in x. Where x is float and W bfloat16 (a CPU with
/// bfloat16 instructions), x is rounded for the product, which accumulates and results in float;
/// so is the gradient on the way back.
at::Tensor frozen_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// x / sqrt(mean(x²) + epsilon) · weight over the last dimension, differentiable in x and weight.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);

/// silu(gate) · up, differentiable in both.
at::Tensor gated(const at::Tensor& gate, const at::Tensor& up);

/// Rotary tables of the rows of a batch, [rows × head_dim / 2] each.
struct rotation {
    at::Tensor cosine, sine, negative_sine;
};

/// Rotates every head of x [rows × heads × head_dim] by its row's angles, differentiable in x.
at::Tensor rotated(const at::Tensor& x, const rotation& tables);

}  // namespace cuset
