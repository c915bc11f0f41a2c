// The meaning of a program's own functions, classes and variables for device code, as far as tokens
// show it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cuset/syntax/cuda_program.h"

namespace cuset {

struct host_function {
    std::size_t least, most;  ///< arguments
    bool is_constexpr;
    bool takes(std::size_t arguments) const { return least <= arguments && arguments <= most; }
    bool operator==(const host_function&) const = default;
};

/// A class, not a template, that is defined once and has only host constructors.
struct host_class {
    std::vector<host_function> constructors;  ///< except copies; empty if not judged
    bool has_default = false;                 ///< `= default` without parameters
};

struct names_in_program {
    explicit names_in_program(const syntax::cuda_program& program);

    /// Whether it may be something other than a host function.
    bool is_ambiguous(const std::string& name) const {
        return others.contains(name) || variables.contains(name) || macros.contains(name);
    }

    /// Whether the range has a macro, or begins or ends a conditional, which counts as one.
    bool has_macro(const syntax::cuda_program& program, syntax::token_range range) const;

    /// Functions that only the host has, and all names that have another meaning as well.
    std::unordered_map<std::string, std::vector<host_function>> hosts;
    std::unordered_set<std::string> others, launched;
    const std::unordered_set<std::string>& macros;
    /// Members that only the host has, and functions that only the device has.
    std::unordered_set<std::string> host_members, device_only;
    std::unordered_map<std::string, std::size_t> variables;  ///< how often declared
    /// The same within one function, or outside of all (no_token); and the variables that hold a
    /// host closure, `auto f = [`.
    std::map<std::pair<std::uint32_t, std::string>, std::size_t> declared;
    std::set<std::pair<std::uint32_t, std::string>> closures;
    std::unordered_set<std::string> host_variables;
    std::unordered_map<std::string, host_class> host_classes;
    bool uses_cuda_std = false;  ///< cuda::std stands somewhere, also in a using

private:
    void collect_functions(const syntax::cuda_program& program);
    void collect_members(const syntax::cuda_program& program);
    void collect_classes(const syntax::cuda_program& program);
    void collect_variables(const syntax::cuda_program& program);
};

/// Whether the word before a name shows that this is no declaration: `return f`.
bool is_expression_keyword(std::string_view word);

}  // namespace cuset
