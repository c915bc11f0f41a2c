// Whether a program can launch a kernel, as far as its text says: where nobody counts what it
// launches. Private to lib/judge.
#pragma once

#include <string_view>

namespace cuset {

/// A launch in live code, a macro's where the macro is used, or a library that launches: by its
/// header (<cub/cub.cuh>, <cublas_v2.h>) or its namespace (thrust::). A launch in a function that
/// nobody calls counts.
bool can_launch(std::string_view source);

}  // namespace cuset
