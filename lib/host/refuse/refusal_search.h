// Finds code that nvcc certainly refuses in a program's tokens: the search and its parts. Private
// to refusals.cpp and the files of its parts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "names_in_program.h"
#include "refusals.h"

namespace cuset {

struct refusal_search {
    const syntax::cuda_program& program;
    const kernel_table& kernels;
    const nvcc_dialect& dialect;
    const names_in_program names;

    std::uint32_t first = syntax::no_token;  ///< the position of the first refusal so far
    std::string message;

    void refuse(std::uint32_t token, std::string why);
    /// Refuses a call of a function that only the host has.
    void refuse_call(const syntax::cuda_function& caller, std::uint32_t token,
                     const std::string& name, bool is_constexpr);
};

/// The device functions that nvcc always compiles.
std::vector<bool> reached_functions(const refusal_search& search);

/// Refuses what device functions may not contain.
void look_at_device_code(refusal_search& search, const std::vector<bool>& reached);

/// Refuses local arrays of device functions whose bounds are no constants.
void look_at_array_bounds(refusal_search& search);

/// Refuses names that CUDA no longer has, and says since when.
void look_at_removed_names(refusal_search& search);

/// Refuses calls of kernels and device functions in host code, and closures given to kernels.
void look_at_host_code(refusal_search& search);

}  // namespace cuset
