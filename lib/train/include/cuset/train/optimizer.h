// AdamW with a global clip of the gradient's norm, over LibTorch's fused kernel.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <span>
#include <vector>

#include "cuset/model/trainable_decoder.h"

namespace cuset {

struct adamw_settings {
    double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
    double weight_decay = 0;
    double clip = 1;  ///< largest norm of all gradients together; 0: none
};

/// Gradients and moments lie in flat buffers, so that a norm, a checkpoint or a sum over processes
/// is one operation. Each parameter's grad() is a view that backward passes add into.
class adamw {
public:
    adamw(std::span<const trainable_parameter> parameters, const adamw_settings& settings);

    /// Σ over all parameters, in the parameters' order: what a process adds to the others'.
    at::Tensor& gradient() { return gradient_; }
    /// exp_avg and exp_avg_sq, flat: what a checkpoint holds besides the parameters.
    at::Tensor& first_moment() { return first_; }
    at::Tensor& second_moment() { return second_; }
    const at::Tensor& first_moment() const { return first_; }
    const at::Tensor& second_moment() const { return second_; }

    /// Clips, updates with this learning rate, and clears the gradient. Returns the norm before the
    /// clip; where that is not finite nothing is updated.
    double step(double learning_rate);

    std::size_t steps_done() const { return steps_; }
    void set_steps_done(std::size_t steps) { steps_ = steps; }

private:
    adamw_settings settings_;
    std::vector<at::Tensor> parameters_, gradients_, firsts_, seconds_;  // views of the flat ones
    at::Tensor gradient_, first_, second_;
    std::size_t steps_ = 0;
};

}  // namespace cuset
