// Which names in a program may stand for something that waits for other threads: barriers, warp
// operations, cooperative groups, and the functions and macros that use them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include "cuset/syntax/cuda_program.h"

namespace cuset {

class waiting_names {
public:
    explicit waiting_names(const syntax::cuda_program& program);

    /// Whether code with this word may wait. `__syncthreads` itself is such a word.
    bool contains(std::string_view word) const;
    /// What waits and has no name to find it by: an operator, a lambda. Empty where nothing does.
    const std::string& nameless() const { return nameless_; }

private:
    std::unordered_set<std::string> names_;
    std::string nameless_;
};

}  // namespace cuset
