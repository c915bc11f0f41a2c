// The parts of a CUDA program that a translator rewrites, as ranges of live tokens.
//
// The same lexical pass finds them as the tagger's spans (lexer.h), so comments, strings, dead
// branches and #defines are recognised in the same way. It too accepts any text in linear time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cuset/syntax/declaration.h"
#include "cuset/syntax/expression.h"
#include "cuset/syntax/lexer.h"

namespace cuset::syntax {

/// A branch of a conditional: its #if among the program's, and the number of the branch.
struct branch_of_conditional {
    std::uint32_t conditional, branch;
    bool operator==(const branch_of_conditional&) const = default;
};

/// A declaration or definition of a function outside other functions, or a `__device__` lambda.
/// Macros of this program that stand for qualifiers count as qualifiers.
struct cuda_function {
    std::string name;                     ///< the last identifier; empty for a lambda
    std::uint32_t name_token = no_token;  ///< if the name is one word before the parameters
    bool is_global = false, is_device = false, is_host = false;  ///< as written
    bool is_template = false;                                    ///< or a specialisation of one
    bool is_constexpr = false;
    bool in_class = false;  ///< or its name is qualified
    bool is_lambda = false;
    bool returns_value = false;       ///< its return type is clearly not void
    bool is_open = false;             ///< the code ends before the body does
    token_range launch_bounds;        ///< the first argument of __launch_bounds__; may be empty
    std::size_t parameter_count = 0;  ///< 0 for `(void)`
    std::size_t defaults = 0;         ///< the parameters with a default argument
    token_range head;                 ///< from its first token to its parameters
    token_range parameters;           ///< with their parentheses
    token_range body;                 ///< with its braces; empty if it is only declared
    std::uint32_t define = no_token;  ///< the define token whose line it is in
    std::uint32_t scope = no_token;   ///< the brace of the namespace around it
    std::vector<branch_of_conditional> branches;  ///< around it, outermost first

    /// Whether it runs only on the device.
    bool is_device_code() const { return is_global || (is_device && !is_host); }
};

/// `k<<<…>>>(…)`, or a call of a launch function.
struct cuda_launch {
    bool is_call = false;
    std::string name;       ///< the kernel's, as the span's name (tagger.h)
    token_range callee;     ///< for a call: the launch function with its qualification
    token_range arguments;  ///< with parentheses; empty if there are none
    /// The tokens of `<<<` and `>>>`; unused for a call.
    std::uint32_t opening = no_token, closing = no_token;
    std::uint32_t define = no_token;
    std::uint32_t function = no_token;  ///< the innermost of `functions` around it
};

/// `__shared__ float a[N][17], b;`
struct shared_declaration : declaration {
    std::uint32_t marker = no_token;  ///< `__shared__`, or the word that is a macro for it
    std::uint32_t number = 0;         ///< of its first variable, counted through the program
    bool is_extern = false;
    bool has_semicolon = false;  ///< the token after it; in a macro it may be missing
    bool in_function = false;    ///< or in a #define
    std::uint32_t define = no_token;
    std::uint32_t scope = no_token;  ///< the brace around it
};

/// A variable at namespace scope, outside every conditional, without a qualifier of the device.
struct host_variable {
    std::uint32_t first;  ///< of its declaration
    std::uint32_t name;
    /// The type is [first, type_end), up to the first variable's name; this variable's own
    /// declarator begins at `declarator`.
    std::uint32_t type_end, declarator;
    bool is_const = false;
    bool is_array = false;
};

/// `#define NAME(PARAMETERS…) replacement`
struct cuda_macro {
    std::uint32_t define;  ///< the define token
    std::uint32_t name;
    bool is_function = false;
    std::vector<std::uint32_t> parameters;  ///< their words, the first 256
    token_range replacement;
};

struct cuda_program {
    token_stream code;
    std::vector<cuda_macro> macros;  ///< in order of position, like all of these
    std::unordered_set<std::string> macro_names;
    std::vector<cuda_function> functions;  ///< by the beginning of their heads
    std::vector<host_variable> variables;
    std::vector<cuda_launch> launches;
    std::vector<shared_declaration> shared;
    /// Each `__shared__` whose declaration could not be read, though a compiler might read it.
    std::vector<std::uint32_t> unread_shared;
    /// Define tokens of macros that stand for `__shared__`: `#define SHARED __shared__`.
    std::vector<std::uint32_t> shared_macros;
    /// For each token the innermost function whose body or parameters it is in, or no_token.
    std::vector<std::uint32_t> function_of;
    /// For each token how many conditionals it is in.
    std::vector<std::uint16_t> conditional_depth;
    /// For each token the directive that ends the innermost branch around it, or no_token.
    std::vector<std::uint32_t> branch_end;
    /// Whether the branches around the token `earlier` are all around `later` too.
    bool is_in_branches_of(std::uint32_t earlier, std::uint32_t later) const {
        return branch_end[earlier] > later;
    }

    /// The macro with this define token; nullptr for a #define without a name.
    const cuda_macro* macro_of(std::uint32_t define) const;
    /// The macro whose #define contains the token; nullptr if there is none.
    const cuda_macro* macro_around(std::uint32_t token) const;
    /// Whether the macro with that define token has such a parameter.
    bool is_macro_parameter(std::uint32_t define, std::string_view name) const;
    /// Whether the token is in the body or parameters of a function that can run on the device.
    bool runs_on_device(std::uint32_t token) const;
    std::size_t line_of(std::uint32_t token) const;  ///< from 1, or as the last #line says

private:
    friend cuda_program read_cuda_program(std::string_view text);
    struct numbered_line {
        std::uint32_t end;               // of a #line
        std::uint32_t physical, number;  // of the line behind it
    };
    std::vector<std::uint32_t> lines_;  // offsets of the newlines
    std::vector<numbered_line> numbered_;
};

/// Reads `text`, which must be shorter than 4 GiB. The result keeps a view of it.
cuda_program read_cuda_program(std::string_view text);

}  // namespace cuset::syntax
