// Tells for the expressions of a kernel to be split which are constants, which values each region
// may compute anew, and which change variables.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>

#include "cuset/syntax/cuda_program.h"
#include "split_plan.h"
#include "split_words.h"

namespace cuset {

/// Answers refer to the plan at the time of the call, and to the names added until then.
class split_values {
public:
    split_values(const syntax::cuda_program& program, const syntax::cuda_function& f,
                 const split_plan& plan, const kernel_words& words);

    void add_constant(std::string name) { constants_.insert(std::move(name)); }
    void add_shared(std::string name) { shared_.insert(std::move(name)); }
    /// For a parameter that is no pointer and never changes.
    void add_pure_parameter(std::string name) { pure_parameters_.insert(std::move(name)); }

    bool is_constant(syntax::token_range range) const;
    /// Whether the value depends only on the thread's place, constants and parameters, and
    /// computing it is harmless at any place.
    bool is_pure(syntax::token_range range) const;
    bool is_addressed(std::uint32_t i) const;
    /// Whether an operator next to it changes it. If a function changes it through a reference, the
    /// compiler refuses the code.
    bool is_changed(std::uint32_t i) const;

private:
    bool is_constant_word(const std::string& w) const;
    bool is_constant_word(const std::string& w, std::size_t depth, std::size_t& left) const;

    const syntax::token_stream& code_;
    const syntax::cuda_function& f_;
    const split_plan& plan_;
    const kernel_words& words_;
    std::unordered_set<std::string> const_variables_;  // the program's
    std::unordered_set<std::string> constants_;        // known here in addition
    std::unordered_set<std::string> pure_parameters_;
    std::unordered_set<std::string> shared_;
};

}  // namespace cuset
