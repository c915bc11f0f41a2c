// Says from its text whether a program can launch a kernel. It is used if nobody counts launches.
// Private to lib/judge.
#pragma once

#include <string_view>

namespace cuset {

/// Whether there is a launch in live code, in a macro that live code uses, or in a library, known
/// by its header (<cub/cub.cuh>, <cublas_v2.h>) or its namespace (thrust::). A launch in a function
/// that nobody calls counts.
bool can_launch(std::string_view source);

}  // namespace cuset
