// AdamW (Loshchilov and Hutter, arXiv 1711.05101, Algorithm 2, as torch.optim.AdamW) over many
// tensors at once, behind a clip of their gradients' global norm. Everything is float but the norm
// and what is computed once a step. Sums have a fixed order: the same bits at any number of threads
// and on every run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuset/kernels/device.h"

namespace cuset::kernels {

/// Elements that are worked on at a time.
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

/// Kept from step to step; begins as zeros, with `steps` those done before.
struct adamw_state {
    std::int64_t steps;    ///< done
    double norm;           ///< of the gradients in the last call, before the clip
    double learning_rate;  ///< of the last call
    float clip, decay, step_size, second_scale;  ///< for the update
    std::uint32_t finite;   ///< whether the norm was; nothing is updated where it is not
    std::uint32_t arrived;  ///< 0 between calls
};

struct adamw_step {
    const adamw_tensor* tensors = nullptr;
    std::size_t count = 0;
    std::size_t chunks = 0;  ///< of adamw_chunks()
    adamw_options options;
    /// The learning rate of each step, so that the schedule is one table; beyond its end the last
    /// counts.
    const double* learning_rates = nullptr;
    std::size_t rates = 0;       ///< > 0
    double* partials = nullptr;  ///< [adamw_partials] of memory to work in
    adamw_state* state = nullptr;
};

/// A step on the CPU is these three, in this order; the first and the last may be shared out among
/// threads: partial sums [first, last), then the norm and what follows from it, then chunks
/// [first, last), which also clears their gradients. Where the norm is not finite the last does
/// nothing, and `steps` stays.
void adamw_squares(const adamw_step& step, std::size_t first, std::size_t last);
void adamw_norm(const adamw_step& step);
void adamw_update(const adamw_step& step, std::size_t first, std::size_t last);

/// The whole step in two launches; every pointer, and those in the table, is device memory. The
/// host need not know the outcome to queue what comes next: `state` has it.
device_error adamw(const adamw_step& step, device_stream stream);

}  // namespace cuset::kernels
