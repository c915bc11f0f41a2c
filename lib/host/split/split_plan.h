// The plan for a kernel that is split at its barriers: see split_kernels.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cuset/syntax/cuda_program.h"
#include "waiting_names.h"

namespace cuset {

/// A local variable, or a parameter that the kernel changes, whose value must survive a barrier.
struct split_variable {
    enum class storage : unsigned char {
        recomputed,  ///< each region computes it, from the thread's place and constants
        frame,       ///< a member of the thread's frame; inside a region a scalar is in a copy
        addressed,   ///< the same, without a copy: its address is taken
    };
    std::string name;
    std::string renamed;
    syntax::token_range scope;  ///< where the name is this variable's, unless hidden
    std::uint32_t name_token = syntax::no_token;  ///< none for a parameter
    storage kept = storage::frame;
};

struct split_declarator : syntax::declarator {
    std::uint32_t variable = 0;  ///< index into the plan's
};

/// A declaration with a barrier later in its scope.
struct split_declaration {
    enum class fate : unsigned char {
        moved,        ///< to the function's beginning: for constants and types
        made_static,  ///< a constant in an inner block
        hoisted,      ///< its variables are split_variables
    };
    fate becomes = fate::hoisted;
    syntax::token_range all;         ///< with its semicolon, except in a for
    syntax::token_range specifiers;  ///< hoisted: `const float`
    std::vector<split_declarator> declarators;
    std::vector<std::uint32_t> names;  ///< moved: the names that it declares
    bool is_auto = false;
    bool in_for = false;
};

struct split_plan {
    std::uint32_t function = 0;                 ///< index into the program's
    std::vector<syntax::token_range> barriers;  ///< statements
    std::vector<syntax::token_range> groups;    ///< declarations that only barriers need
    std::vector<std::uint32_t> returns;
    std::vector<split_declaration> declarations;
    std::vector<split_variable> variables;
    std::vector<std::string> parameters;
    bool reads_place = false;                 ///< a function that it calls may read ::threadIdx
    std::vector<std::uint32_t> moved_shared;  ///< markers of declarations, in order
    std::string obstacle;                     ///< why there is no plan; the rest is then not valid

    /// The innermost variable that the word at token i names, or no_token.
    std::uint32_t variable_at(const syntax::token_stream& code, std::uint32_t i) const;
};

/// Nothing if the function is no kernel whose body has a barrier of the whole block.
std::optional<split_plan> read_split_plan(const syntax::cuda_program& program,
                                          std::uint32_t function, const waiting_names& waiting);

}  // namespace cuset
