// Walks over postfix expressions, from tokens alone: a name with the template arguments,
// subscripts, calls and members behind it. Every part that follows such an expression, forwards or
// backwards, uses these walks.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/syntax/lexer.h"

namespace cuset::syntax {

/// Whether the word at token i is a member's name: a `.` or `->` stands before it.
inline bool is_member(const token_stream& code, std::uint32_t i) {
    return code.is(i - 1, '.') || code.is(i - 1, arrow);
}

/// The same, or `::` stands before it.
inline bool is_member_or_qualified(const token_stream& code, std::uint32_t i) {
    return is_member(code, i) || code.is(i - 1, scope);
}

/// Walks on from token i, behind a name or a part, over the parts that begin with one of `kinds`:
/// '[' for a subscript, '(' for a call, less for `<T>`, and '.', arrow or scope for a name behind
/// one of these. Returns the first token that belongs to none; a part must be complete before
/// `end`.
std::uint32_t after_parts(const token_stream& code, std::uint32_t i, std::uint32_t end,
                          std::initializer_list<std::uint8_t> kinds);

/// Whether an operator that assigns is at token i, behind an operand: `=`, `+=` or `<<=`.
bool is_assignment(const token_stream& code, std::uint32_t i);

/// Whether `++` or `--` is at token i.
bool is_step(const token_stream& code, std::uint32_t i);

/// The first token of the postfix expression that ends at token `last`, at `floor` or after. In
/// `if (x) (*fp)` it is the second parenthesis: a call needs a name, `]` or `>` before it.
std::uint32_t expression_start(const token_stream& code, std::uint32_t last, std::uint32_t floor);

/// The last identifier of the expression that ends at token `last`; looks back to `floor` at most.
/// Skips template arguments and subscripts, and looks inside parentheses, casts and macro calls (a
/// callee without a small letter is a macro). A pasted word is one word. "" if there is no name.
std::string name_of_expression(const token_stream& code, std::uint32_t last, std::uint32_t floor);

/// Whether a `<` run can open template arguments: one, after a word.
bool may_open_angle(const token_stream& code, std::uint32_t i);

/// `open` is a `<` run of length one. Returns the token of the run of `>` that closes it as
/// template arguments, or no_token. Looks no further than `end`.
std::uint32_t closing_angle(const token_stream& code, std::uint32_t open, std::uint32_t end);

/// The token that opens what the token `last` closes: the partner of a bracket, or the `<` of the
/// template arguments that a run of `>` ends; no_token if it is before `floor`, or `last` closes
/// nothing.
std::uint32_t part_start(const token_stream& code, std::uint32_t last, std::uint32_t floor);

/// The arguments or parameters between the parentheses or braces of `list`, split at their commas;
/// none if `list` is empty. Commas inside template arguments do not split.
std::vector<token_range> split_at_commas(const token_stream& code, token_range list);

/// Whether the word may precede an expression or statement, but not a name that is declared.
bool is_statement_keyword(std::string_view word);

}  // namespace cuset::syntax
