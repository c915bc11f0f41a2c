// Whether a program is one in HIP, which nvcc cannot compile. Private to lib/judge.
#pragma once

#include "cuset/judge/compiler.h"

namespace cuset {

/// A program that hipcc is called for, or a file that is said to be in HIP. What nvcc is called for
/// is in CUDA, whatever its files include.
bool is_hip_program(const program_source& source);

}  // namespace cuset
