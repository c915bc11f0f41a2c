// How much memory a pass takes, before it takes it.
#pragma once

#include <cstddef>

#include "cuset/base/status.h"
#include "cuset/model/trainable_decoder.h"

namespace cuset {

/// Bytes, of what a training pass holds at its peak: weights, gradients and moments, and what the
/// layers keep of `tokens` tokens for the way back. Three quarters of the peak that was measured
/// with SmolLM2 on a CPU: what allocators and libraries take beside it is not in it.
double estimated_bytes(const trainable_decoder& decoder, std::size_t tokens, bool recompute);

/// Bytes of memory that this process may still take (MemAvailable, and the limit of its control
/// group), as far as the system tells; 0: it does not.
double available_bytes();

/// error_kind::unsupported where a pass of so many tokens will not fit on a CPU, with what would.
status check_memory(const trainable_decoder& decoder, std::size_t tokens);

}  // namespace cuset
