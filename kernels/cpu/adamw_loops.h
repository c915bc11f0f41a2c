// The part of adamw.h that is compiled for each instruction set.
#pragma once

#include <cstddef>

#include "cuset/kernels/instruction_set.h"

namespace cuset::kernels {

struct adamw_constants {
    float clip, rest1, beta2, rest2, decay, step_size, second_scale, epsilon;
};

struct adamw_loops {
    /// Σ x² in double.
    double (*squares)(const float* x, std::size_t count);
    /// Updates `count` elements: value, gradient, first and second moment.
    void (*update)(const adamw_constants&, std::size_t count, float* value, float* gradient,
                   float* first, float* second);
};

/// `set` must be available.
const adamw_loops& adamw_loops_of(instruction_set set);

}  // namespace cuset::kernels
