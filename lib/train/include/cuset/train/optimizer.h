// AdamW with a global clip of the gradient's norm: kernels::adamw() over a model's parameters.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <span>
#include <vector>

#include "cuset/kernels/adamw.h"
#include "cuset/model/trainable_decoder.h"

namespace cuset {

using adamw_settings = kernels::adamw_options;

/// What a step came to.
struct adamw_outcome {
    double gradient_norm = 0;  ///< of all gradients together, before the clip
    double learning_rate = 0;
    bool updated = false;  ///< not where the norm is not finite
};

/// Gradients and moments lie in flat buffers, so that a norm, a checkpoint or a sum over processes
/// is one operation. Each parameter's grad() is a view that backward passes add into.
class adamw {
public:
    /// Parameters are contiguous floats on one device.
    adamw(std::span<const trainable_parameter> parameters, const adamw_settings& settings);

    /// Σ over all parameters, in the parameters' order: what a process adds to the others'.
    at::Tensor& gradient() { return gradient_; }
    /// exp_avg and exp_avg_sq, flat: what a checkpoint holds besides the parameters.
    at::Tensor& first_moment() { return first_; }
    at::Tensor& second_moment() { return second_; }
    const at::Tensor& first_moment() const { return first_; }
    const at::Tensor& second_moment() const { return second_; }

    /// Queues a step: clips, updates, clears the gradient; nothing of it where the norm is not
    /// finite. On a GPU the host does not wait.
    void queue_step(double learning_rate);
    /// What the step that was queued came to. Waits for the device.
    adamw_outcome finish_step();

    std::size_t steps_done() const { return steps_; }  ///< finished and not refused
    void set_steps_done(std::size_t steps);

private:
    std::vector<at::Tensor> parameters_;
    at::Tensor gradient_, first_, second_;
    at::Tensor table_, learning_rate_, partials_, state_;  // what step_ points to
    kernels::adamw_step step_;
    std::size_t steps_ = 0;
};

}  // namespace cuset
