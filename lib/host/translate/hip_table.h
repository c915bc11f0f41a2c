// The table of HIP's names, read from the runtime's headers. Private to lib/host.
#pragma once

#include <string>
#include <string_view>

namespace cuset::hip_names {

/// What stands for HIP's name: "cudaMalloc", "threadIdx.x", or for one of a library of HIP's, which
/// differs from CUDA's by its beginning alone: "cublasCreate". Empty if there is nothing.
std::string cuda_name_of(const std::string& name);

/// Whether the name is CUDA's, and a program in HIP has it not: cudaMalloc, __CUDACC__.
bool is_of_cuda(std::string_view name);

/// Whether it looks like a name of HIP's, and neither the table nor the runtime's headers for HIP
/// have it.
bool is_unknown(std::string_view name);

/// Whether hipcc does not find the header.
bool is_header_of_cuda(std::string_view name);

/// CUDA's header of the library that a header of HIP's is for: "cublas_v2.h" for
/// "hipblas/hipblas.h"; empty for others.
std::string_view library_header_of(std::string_view name);

}  // namespace cuset::hip_names
