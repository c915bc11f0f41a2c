// The reward of an answer: a sum of products of what its verdict says.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/verdict.h"

namespace cuset {

/// A part of a verdict that a formula may name.
enum class reward_part : unsigned char {
    compiled,   ///< 1 if the program compiled
    ran,        ///< 1 if it ran to its end, with whatever results
    correct,    ///< 1 if it passed
    checked,    ///< 1 if it passed under --check too
    truncated,  ///< 1 if a limit of tokens ended the answer
    tokens,     ///< tokens of the answer
};
/// "compiled" and so on.
std::string_view name_of(reward_part part);

class reward_formula {
public:
    /// Reads terms with + or - between them; a term is a product (*) of numbers and names:
    /// "0.1*compiled + 0.9*correct - 1e-4*tokens". A usage error says what is wrong.
    static result<reward_formula> parse(std::string_view text);

    bool names(reward_part part) const;

    /// The reward of the answer with this verdict. `is_right_under_check` stands for `checked`. A
    /// data error where the formula names tokens and the verdict has none, or where the value is
    /// not finite.
    result<double> of(const verdict& v, bool is_right_under_check) const;

private:
    struct term {
        double factor = 1;
        std::vector<reward_part> parts;
    };
    std::vector<term> terms_;
};

}  // namespace cuset
