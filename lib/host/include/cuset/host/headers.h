// What is known of the headers that CUDA programs include. The table is in headers.cpp.
#pragma once

#include <string_view>

namespace cuset {

// Each takes a name as an #include has it, without brackets or quotes: "cub/cub.cuh".

/// Whether the runtime has a header of its own by that name.
bool is_modelled_header(std::string_view name);

/// Whether a program that includes it is unsupported, whatever is installed.
bool is_unmodelled_header(std::string_view name);

/// Whether it needs nvcc where a program includes it, but is plain C++ to a host compiler (Thrust,
/// libcu++).
bool is_plain_cpp_header(std::string_view name);

/// Whether it is one of the toolkit's, or was. A program's own may begin with the same letters:
/// cuda_utils.h, vector_add.h, nvidia_helper.h.
bool is_toolkit_header(std::string_view name);

/// Whether it is of a well-known library that need not be installed: its absence is no fault of the
/// program. NVIDIA's own are those that do not come with the toolkit.
bool is_library_header(std::string_view name);

/// Whether it is of a library that launches kernels of its own.
bool is_launching_header(std::string_view name);

}  // namespace cuset
