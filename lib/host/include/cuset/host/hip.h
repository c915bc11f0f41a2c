// HIP programs, which the host model translates as the CUDA programs that they stand for.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/syntax/include_lines.h"

namespace cuset {

/// Whether the text says by itself that it is a program in HIP: it includes a header of HIP
/// (<hip/hip_runtime.h>) among its unconditional_includes(). A program that may be either, such as
/// one that asks for __HIPCC__, is one in CUDA.
bool is_hip_source(std::string_view text);

/// What a file includes outside of every conditional but a guard around the whole file, whose name
/// no compiler defines and `is_free` allows.
std::vector<syntax::include_line> unconditional_includes(
    std::string_view text, const std::function<bool(const std::string&)>& is_free);

/// The names of the macros that live code defines, each once.
std::vector<std::string> names_that_are_defined(std::string_view text);

/// Whether a file of a HIP program includes a header that brings HIP's names, and whether it has
/// code that cannot do without: hipcc gives plain C++ none of them.
bool has_header_of_hip(std::string_view text);
bool needs_header_of_hip(std::string_view text);

/// Whether the text, in HIP, has code whose outcome depends on how many lanes a warp has.
bool depends_on_lanes(std::string_view text);

/// The program with CUDA's names for HIP's, CUDA's launches for hipLaunchKernelGGL, and names that
/// nothing has for CUDA's own: each line keeps its number. `definitions` has the command's -DNAME.
/// The table of names is that of runtime/include/cuset_host/hip/names_of_*.h.
std::string with_cuda_names(std::string_view text,
                            const std::vector<std::string>& definitions = {});

/// The ends of those names: of CUDA's, which HIP lacks, of names for devices that the model lacks,
/// and of the program's own where CUDA has the same.
inline constexpr std::string_view no_name_of_hip = "_is_no_name_of_HIP";
inline constexpr std::string_view not_modelled_of_hip = "_is_not_modelled";
inline constexpr std::string_view own_name_of_hip = "_of_the_program";

}  // namespace cuset
