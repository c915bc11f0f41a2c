// The names in a program that may make a thread wait for others: barriers, warp operations,
// cooperative groups, and the functions and macros that use them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_set>

#include "cuset/syntax/cuda_program.h"

namespace cuset {

class waiting_names {
public:
    /// `more`: words that count as if code with them waits.
    explicit waiting_names(const syntax::cuda_program& program,
                           std::initializer_list<std::string_view> more = {});

    /// Whether code with this word may wait. `__syncthreads` itself is such a word.
    bool contains(std::string_view word) const;
    /// A part that waits and has no name (an operator, a lambda). Empty if there is none.
    const std::string& nameless() const { return nameless_; }
    /// The namespace cooperative_groups and its aliases; empty if the program has its own sync() or
    /// this_thread_block().
    const std::unordered_set<std::string>& group_spaces() const { return group_spaces_; }

private:
    std::unordered_set<std::string> names_;
    std::string nameless_;
    std::unordered_set<std::string> group_spaces_;
};

}  // namespace cuset
