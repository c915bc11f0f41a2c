// The table of HIP's names, read from the runtime's headers. Private to lib/host.
#pragma once

#include <string>
#include <string_view>

namespace cuset::hip_names {

/// What stands for HIP's name: "cudaMalloc", "threadIdx.x", or for one of a library of HIP's, which
/// differs from CUDA's by its beginning alone: "cublasCreate". Empty if there is nothing.
std::string cuda_name_of(const std::string& name);

/// Whether the name is certainly one that CUDA's headers have and HIP's have not: cudaMalloc.
bool is_of_cuda(std::string_view name);

/// Whether the table has the name as CUDA's: cudaMalloc, and no name of its libraries.
bool is_in_table(std::string_view name);

/// Whether the name begins as CUDA's names do: cudaMalloc, curand_init, CUDA_R_32F, __nv_bfloat16.
bool looks_like_cuda(std::string_view name);

/// Whether it is one of CUDA's names for device code that are not surely HIP's: __dp4a, __vadd4.
bool is_only_of_cuda_devices(std::string_view name);

/// Whether it begins as names of HIP and its libraries do.
bool looks_like_hip(std::string_view name);

/// Whether what it gives depends on how many lanes a warp has.
bool depends_on_lanes(std::string_view name);

/// Whether the header is one of HIP's or of AMD's libraries.
bool is_library_header(std::string_view name);

/// Whether hipcc does not find the header.
bool is_header_of_cuda(std::string_view name);

/// CUDA's header of the library that a header of HIP's is for: "cublas_v2.h" for
/// "hipblas/hipblas.h"; empty for others.
std::string_view library_header_of(std::string_view name);

}  // namespace cuset::hip_names
