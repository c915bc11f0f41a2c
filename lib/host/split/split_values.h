// What the expressions of a kernel that is to be split are: constants, values that each region may
// compute anew, changes of variables.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>

#include "cuset/syntax/cuda_program.h"
#include "split_plan.h"
#include "split_words.h"

namespace cuset {

/// Answers questions about the plan as it is at that time, and about what has been added until
/// then.
class split_values {
public:
    split_values(const syntax::cuda_program& program, const syntax::cuda_function& f,
                 const split_plan& plan, const kernel_words& words);

    void add_constant(std::string name) { constants_.insert(std::move(name)); }
    void add_shared(std::string name) { shared_.insert(std::move(name)); }
    /// No pointer, and never changed.
    void add_pure_parameter(std::string name) { pure_parameters_.insert(std::move(name)); }

    bool is_constant(syntax::token_range range) const;
    /// Whether the value depends on the thread's place, on constants and on parameters alone, and
    /// computing it can do no harm wherever it is done.
    bool is_pure(syntax::token_range range) const;
    bool is_addressed(std::uint32_t i) const;
    /// By an operator beside it; what a function does through a reference, the compiler refuses.
    bool is_changed(std::uint32_t i) const;

private:
    bool is_constant_word(const std::string& w) const;
    bool is_constant_word(const std::string& w, std::size_t depth, std::size_t& left) const;

    const syntax::token_stream& code_;
    const syntax::cuda_function& f_;
    const split_plan& plan_;
    const kernel_words& words_;
    std::unordered_set<std::string> const_variables_;  // the program's
    std::unordered_set<std::string> constants_;        // known here beside those
    std::unordered_set<std::string> pure_parameters_;
    std::unordered_set<std::string> shared_;
};

}  // namespace cuset
