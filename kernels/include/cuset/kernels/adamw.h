// AdamW (Loshchilov and Hutter, arXiv 1711.05101, Algorithm 2, as torch.optim.AdamW) over many
// tensors at once, after clipping by the global norm of their gradients. All is float, but for the
// norm and what is computed once a step. Sums have a fixed order: the same bits at any number of
// threads and in every run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuset/kernels/device.h"

namespace cuset::kernels {

/// The number of elements that are worked on at a time.
inline constexpr std::size_t adamw_chunk = 4096;

/// One tensor of `size` floats.
struct adamw_tensor {
    float *value, *gradient, *first, *second;  ///< first, second: the moments
    std::size_t size;
    std::size_t first_chunk;  ///< set by adamw_chunks()
};

/// Numbers the tensors' chunks and returns how many there are.
std::size_t adamw_chunks(adamw_tensor* tensors, std::size_t count);

/// Partial sums of squares: chunk c belongs to sum c mod adamw_partials.
inline constexpr std::size_t adamw_partials = 1024;

struct adamw_options {
    double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
    double weight_decay = 0;
    double clip = 1;  ///< largest norm of all gradients together; 0: none
};

/// Kept from step to step. It starts as zeros, with `steps` set to the steps done before.
struct adamw_state {
    std::int64_t steps;    ///< done
    double norm;           ///< of the gradients in the last call, before the clip
    double learning_rate;  ///< of the last call
    float clip, decay, step_size, second_scale;  ///< for the update
    std::uint32_t finite;   ///< whether the norm was finite; if not, nothing is updated
    std::uint32_t arrived;  ///< 0 between calls
};

struct adamw_step {
    const adamw_tensor* tensors = nullptr;
    std::size_t count = 0;
    std::size_t chunks = 0;  ///< from adamw_chunks()
    adamw_options options;
    /// The learning rate of each step: the schedule is one table. Past its end the last rate
    /// counts.
    const double* learning_rates = nullptr;
    std::size_t rates = 0;       ///< > 0
    double* partials = nullptr;  ///< [adamw_partials] of memory to work in
    adamw_state* state = nullptr;
};

/// A step on the CPU calls these three in this order. Threads may share the first and the last:
/// partial sums [first, last), then the norm and what follows from it, then chunks [first, last),
/// which also clears their gradients. If the norm is not finite, the last does nothing, and `steps`
/// stays.
void adamw_squares(const adamw_step& step, std::size_t first, std::size_t last);
void adamw_norm(const adamw_step& step);
void adamw_update(const adamw_step& step, std::size_t first, std::size_t last);

/// The whole step in two launches. Every pointer, also in the table, is device memory. The host
/// need not know the outcome to queue the next work: `state` has it.
device_error adamw(const adamw_step& step, device_stream stream);

}  // namespace cuset::kernels
