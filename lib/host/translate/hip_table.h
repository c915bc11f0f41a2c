// The table of HIP's names, read from the runtime's headers. Private to lib/host.
#pragma once

#include <string>
#include <string_view>

namespace cuset::hip_names {

/// What stands for HIP's name: "cudaMalloc", "threadIdx.x"; null if the table has it not.
const std::string* cuda_name_of(const std::string& name);

/// Whether the name is CUDA's, and a program in HIP has it not: cudaMalloc, __CUDACC__.
bool is_of_cuda(std::string_view name);

/// Whether it looks like a name of HIP's, and neither the table nor the runtime's headers for HIP
/// have it.
bool is_unknown(std::string_view name);

/// Whether hipcc does not find the header.
bool is_header_of_cuda(std::string_view name);

}  // namespace cuset::hip_names
