// A program's kernels by their names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cuset/syntax/cuda_program.h"

namespace cuset {

struct named_kernel {
    bool is_template = false;
    bool has_defaults = false;
    bool is_overloaded = false;            ///< of the program's kernels, or a library's function
    std::vector<std::uint32_t> functions;  ///< indices into the program's
    /// Whether the name alone is the address of one function whose parameters are all known.
    bool is_plain() const { return !is_template && !has_defaults && !is_overloaded; }
};

class kernel_table {
public:
    explicit kernel_table(const syntax::cuda_program& program);

    const named_kernel* find(const std::string& name) const;
    /// Whether every kernel is_plain, including kernels that macros make.
    bool all_are_plain() const { return all_are_plain_; }
    /// Whether a macro makes kernel templates: then any unknown name may be one.
    bool macros_make_templates() const { return macros_make_templates_; }

private:
    std::unordered_map<std::string, named_kernel> kernels_;
    bool all_are_plain_ = true;
    bool macros_make_templates_ = false;
};

}  // namespace cuset
