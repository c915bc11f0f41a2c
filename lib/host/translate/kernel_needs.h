// What a kernel's launch needs from a device, as far as the source shows: its most threads, and its
// static shared memory.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cuset/syntax/cuda_program.h"

namespace cuset {

/// By the numbers of shared variables: whether the function that declares the variable reads it.
/// nvcc drops a variable that is only written.
std::vector<bool> shared_that_are_read(const syntax::cuda_program& program);

class kernel_needs {
public:
    /// `first_shared`: the number that the first shared variable has in the translation.
    kernel_needs(const syntax::cuda_program& program, std::uint32_t first_shared);

    /// `"k", BOUNDS, {0, 3}` of a kernel: the first argument of __launch_bounds__ or 0, and the
    /// numbers of the static shared variables that it reads, itself or in functions that it calls.
    /// Functions and variables that their names do not identify are left out. Empty if there is
    /// nothing to say.
    std::string words_of(std::uint32_t function) const;
    /// `if (::cuset_host::exceeds_bounds<&k<n>, static_cast<unsigned>(n)>()) return;` for the
    /// beginning of a kernel whose bounds words_of() cannot give: they depend on a parameter of the
    /// template, or the kernel is overloaded. Empty if there is nothing to say.
    std::string bounds_check_of(std::uint32_t function, bool is_overloaded) const;

private:
    void find_variables();
    void find_calls();
    std::string cluster_of(const syntax::cuda_function& f) const;
    std::string bounds_of(const syntax::cuda_function& f) const;
    syntax::token_range bounds_range(const syntax::cuda_function& f) const;
    syntax::token_range bounds_in_macro(std::uint32_t use) const;
    bool has_dependent_bounds(const syntax::cuda_function& f) const;
    std::string own_instance_of(const syntax::cuda_function& f) const;
    std::vector<std::uint32_t> variables_of(std::uint32_t function) const;

    const syntax::cuda_program& program_;
    const std::uint32_t first_shared_;
    const syntax::token_stream& code_;
    std::vector<std::vector<std::uint32_t>> variables_, calls_;  // by function
    std::vector<bool> discards_;  // by function: has an `if constexpr`
    /// Where `__launch_bounds__` stands in the macros that have it, by their names.
    std::unordered_map<std::string, std::pair<const syntax::cuda_macro*, std::uint32_t>> bounding_;
};

}  // namespace cuset
