// AdamW with a global clip of the gradient's norm: kernels::adamw() for a model's parameters.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <span>
#include <vector>

#include "cuset/kernels/adamw.h"
#include "cuset/model/trainable_decoder.h"

namespace cuset {

using adamw_settings = kernels::adamw_options;

/// The result of a step.
struct adamw_outcome {
    double gradient_norm = 0;  ///< of all gradients together, before the clip
    double learning_rate = 0;
    bool updated = false;  ///< false if the norm is not finite
};

/// Gradients and moments are in flat buffers, so that a norm, a checkpoint or a sum over processes
/// is one operation. Each parameter's grad() is a view that backward passes add into.
class adamw {
public:
    /// Parameters are contiguous floats on one device.
    adamw(std::span<const trainable_parameter> parameters, const adamw_settings& settings);

    /// The gradients of all parameters, in their order: processes add these up.
    at::Tensor& gradient() { return gradient_; }
    /// exp_avg and exp_avg_sq, flat; a checkpoint holds them beside the parameters.
    at::Tensor& first_moment() { return first_; }
    at::Tensor& second_moment() { return second_; }
    const at::Tensor& first_moment() const { return first_; }
    const at::Tensor& second_moment() const { return second_; }

    /// Queues a step: clips, updates, clears the gradient; nothing changes if the norm is not
    /// finite. On a GPU the host does not wait.
    void queue_step(double learning_rate);
    /// The result of the queued step. Waits for the device.
    adamw_outcome finish_step();

    std::size_t steps_done() const { return steps_; }  ///< finished and not refused
    void set_steps_done(std::size_t steps);

    /// Steps of earlier runs that the moments come from: the bias corrections count them too. Set
    /// before the first step, with the moments.
    std::size_t earlier_steps() const { return earlier_steps_; }
    void set_earlier_steps(std::size_t steps);

private:
    std::vector<at::Tensor> parameters_;
    at::Tensor gradient_, first_, second_;
    at::Tensor table_, learning_rate_, partials_, state_;  // the memory that step_ points to
    kernels::adamw_step step_;
    std::size_t steps_ = 0, earlier_steps_ = 0;
};

}  // namespace cuset
