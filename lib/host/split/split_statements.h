// Finds the ends of statements, and recognises expressions.
#pragma once

#include <cstdint>

#include "cuset/syntax/cuda_program.h"

namespace cuset {

/// The token after the statement at `i`, with its labels and its branches; no_token if the
/// statement cannot be read before `end`, or nests too deeply.
std::uint32_t statement_end(const syntax::token_stream& code, std::uint32_t i, std::uint32_t end,
                            int depth = 0);

/// Whether [i, end), without a semicolon, is an expression and can declare nothing.
bool is_expression(const syntax::token_stream& code, std::uint32_t i, std::uint32_t end);

/// The token after the type or specifier words that begin a declaration at `i`; `i` if there are
/// none. `has_type`: whether they name a type, or are `auto`.
std::uint32_t after_specifiers(const syntax::token_stream& code, std::uint32_t i, std::uint32_t end,
                               bool& has_type);

}  // namespace cuset
