// Reads declarations of variables, from tokens alone. Every part that asks what code declares uses
// this reader.
//
// Tokens do not distinguish every declaration from an expression (`a * b;`). The reader assumes
// that its range is a declaration, and the caller checks the type that it returns.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cuset/syntax/lexer.h"

namespace cuset::syntax {

/// `*a[N][17] = {1}`, `grid(4, 4)` or `(*p)[4]`.
struct declarator {
    token_range all;          ///< from its stars or parenthesis, without the initialiser
    token_range name;         ///< one word, or words pasted together
    token_range extents;      ///< `[N][17]` behind the name or parenthesis; may be empty
    token_range initialiser;  ///< `= {1}`, `{1}` or a constructor's `(4, 4)`; may be empty
};

/// `static const float a[4] = {1}, *b;`
struct declaration {
    token_range all;   ///< without the semicolon
    token_range type;  ///< `all` up to the first declarator: specifiers, attributes and type
    std::vector<declarator> declarators;
    /// Some of it could not be read; the parts before that are filled in.
    bool is_partial = false;
};

/// Reads `range` as a declaration without its semicolon. If it cannot declare variables with a type
/// before them, the result has no declarators.
declaration read_declaration(const token_stream& code, token_range range);

/// The first token of the declaration that contains the specifier at `at`. Specifiers and a type
/// may precede it. The search stops at `floor`, and after a short distance.
std::uint32_t declaration_start(const token_stream& code, std::uint32_t at, std::uint32_t floor);

/// The end of the declaration that contains `at`.
struct declaration_end {
    enum class kind : std::uint8_t {
        semicolon,
        cut_off,    ///< `limit` comes first
        far,        ///< the semicolon is further away than any declaration is long
        directive,  ///< a conditional or a #define comes first
        broken,     ///< no compiler accepts it as one of variables: brackets, a function's body
    };
    kind why;
    std::uint32_t at;  ///< the token of the semicolon, or `limit`; else unused
};
declaration_end find_declaration_end(const token_stream& code, std::uint32_t at,
                                     std::uint32_t limit);

/// Whether the word belongs to an arithmetic type: `unsigned`, `float`, `size_t`.
bool is_arithmetic_type_word(std::string_view word);

/// Whether a parenthesis after the word belongs to an attribute or specifier.
bool takes_attribute_arguments(std::string_view word);

}  // namespace cuset::syntax
