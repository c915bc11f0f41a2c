// HIP programs, which the host model translates as the CUDA programs that they stand for.
#pragma once

#include <string>
#include <string_view>

namespace cuset {

/// Whether the text is a program in HIP: it includes a header of HIP (<hip/hip_runtime.h>), and not
/// only where a condition about the platform asks for it (`#ifdef __HIPCC__`).
bool is_hip_source(std::string_view text);

/// The program with CUDA's names for HIP's, CUDA's launches for hipLaunchKernelGGL, and names that
/// nothing has for what HIP lacks: each line keeps its number. The table of names is that of
/// runtime/include/cuset_host/hip/names_of_*.h.
std::string with_cuda_names(std::string_view text);

/// The ends of those names: of CUDA's, which HIP lacks, and of HIP's, which the model lacks.
inline constexpr std::string_view no_name_of_hip = "_is_no_name_of_HIP";
inline constexpr std::string_view not_modelled_of_hip = "_is_not_modelled";

}  // namespace cuset
