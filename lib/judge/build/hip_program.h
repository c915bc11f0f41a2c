// Whether a program is one in HIP, which nvcc cannot compile. Private to lib/judge.
#pragma once

#include "cuset/judge/compiler.h"

namespace cuset {

/// A program that hipcc is called for, or one of whose files includes a header of HIP
/// (is_hip_source()).
bool is_hip_program(const program_source& source);

}  // namespace cuset
