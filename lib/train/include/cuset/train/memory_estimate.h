// Estimates the memory of a pass before it runs.
#pragma once

#include <cstddef>

#include "cuset/base/status.h"
#include "cuset/model/trainable_decoder.h"

namespace cuset {

/// What decides the memory of a training pass.
struct training_memory {
    model_config config;
    double weights = 0;       ///< bytes of all weights that are here
    double trained = 0;       ///< bytes of the trained parameters, floats
    bool has_adapter = true;  ///< the trained parameters are beside the weights
    bool half = false;        ///< activations are in bfloat16
};

/// As below.
double estimated_bytes(const training_memory& memory, std::size_t tokens, bool recompute);

/// The bytes that a training pass holds at its peak: weights, gradients and moments, and what the
/// layers keep of `tokens` tokens for the backward pass. This is three quarters of the peak that
/// was measured with SmolLM2 on a CPU; the memory of allocators and libraries is not included.
double estimated_bytes(const trainable_decoder& decoder, std::size_t tokens, bool recompute);

/// The bytes of memory that this process may still take (MemAvailable, and the limit of its control
/// group); 0 if the system does not say.
double available_bytes();

/// error_kind::unsupported if a pass of this many tokens will not fit on a CPU; the message says
/// what would.
status check_memory(const trainable_decoder& decoder, std::size_t tokens);

}  // namespace cuset
