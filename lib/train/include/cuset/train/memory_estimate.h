// Estimates the memory of a pass before it runs.
#pragma once

#include <cstddef>

#include "cuset/base/status.h"
#include "cuset/model/trainable_decoder.h"

namespace cuset {

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
