// The names and parameter lists of functions.
#pragma once

#include <cstdint>
#include <string>

#include "cuset/syntax/expression.h"

namespace cuset::syntax {

/// The name of the function declared by the tokens (head, body), where `head` is `__global__` and
/// `body` the opening brace.
std::string name_of_function(const token_stream& code, std::uint32_t head, std::uint32_t body);

/// The opening parenthesis of that function's parameter list, or `body` if a macro gives the list.
std::uint32_t parameter_list(const token_stream& code, std::uint32_t head, std::uint32_t body);

/// The contents of the parentheses open and close.
enum class argument_kind : std::uint8_t { unknown, parameters, expressions };
argument_kind classify_arguments(const token_stream& code, std::uint32_t open, std::uint32_t close);

/// Returns the pp_endif of a conditional whose branch ends at pp_else or pp_elif token i.
std::uint32_t skip_other_branches(const token_stream& code, std::uint32_t i, std::uint32_t limit);

}  // namespace cuset::syntax
