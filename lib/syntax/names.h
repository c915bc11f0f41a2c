// The last identifier of an expression or declarator, which gives a span its name.
#pragma once

#include <cstdint>
#include <string>

#include "cuset/syntax/lexer.h"

namespace cuset::syntax {

/// The name of the expression whose last token is `last`; looks back to `floor` at most. Skips
/// template arguments and subscripts, and looks inside parentheses, casts and macro calls (a callee
/// without a small letter is a macro). A pasted word is one word. "" if there is no name.
std::string name_of_expression(const token_stream& code, std::uint32_t last, std::uint32_t floor);

/// The name of the function declared by the tokens (head, body), where `head` is `__global__` and
/// `body` the opening brace.
std::string name_of_function(const token_stream& code, std::uint32_t head, std::uint32_t body);

/// The opening parenthesis of that function's parameter list, or `body` if a macro gives the list.
std::uint32_t parameter_list(const token_stream& code, std::uint32_t head, std::uint32_t body);

/// The `<` that opens the template argument list closed by the run `greater` of `>`, or no_token.
std::uint32_t opening_angle(const token_stream& code, std::uint32_t greater, std::uint32_t floor);

/// Whether a `<` run can open template arguments: one, after a word.
bool may_open_angle(const token_stream& code, std::uint32_t i);

/// The contents of the parentheses open and close.
enum class argument_kind : std::uint8_t { unknown, parameters, expressions };
argument_kind classify_arguments(const token_stream& code, std::uint32_t open, std::uint32_t close);

/// Whether the word may precede an expression or statement, but not a name that is declared.
bool is_statement_keyword(std::string_view word);

/// Returns the pp_endif of a conditional whose branch ends at pp_else or pp_elif token i.
std::uint32_t skip_other_branches(const token_stream& code, std::uint32_t i, std::uint32_t limit);

}  // namespace cuset::syntax
