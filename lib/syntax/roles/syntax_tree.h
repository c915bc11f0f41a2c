// Tree-sitter's syntax tree of one function, as a flat list that is cheap to walk.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "cuset/syntax/lexer.h"

namespace cuset::syntax {

/// The kinds of nodes that roles depend on.
enum class node_kind : std::uint8_t {
    other,
    leaf,  ///< punctuation and keywords, without a name in the grammar
    error,
    identifier,
    field_identifier,
    type_identifier,
    namespace_identifier,
    this_,
    parameter,
    declaration,
    init_declarator,
    pointer_declarator,
    reference_declarator,
    array_declarator,
    function_declarator,
    subscript,
    subscript_list,
    call,
    argument_list,
    template_function,
    template_arguments,
    qualified,
    field,
    binary,
    unary,
    assignment,
    update,
    pointer_expression,
    conditional,
    cast,
    parentheses,
    condition_clause,
    if_,
    while_,
    do_,
    for_,
    for_range,
    return_,
    jump,  ///< break, continue
    expression_statement,
    compound,
    function,
    lambda,
    assembly,
    launch_bounds,
};

/// What a node is to its parent.
enum class node_field : std::uint8_t {
    none,
    condition,
    consequence,
    alternative,
    body,
    declarator,
    value,
    left,
    right,
    argument,
    function,
    type,
    operator_,
    initializer,
    update,
    name,
    member,
    assembly_code,
};

struct tree_node {
    node_kind kind;
    node_field field;
    std::uint32_t parent;       ///< a node; the root's is itself
    std::uint32_t end;          ///< the node after its descendants
    std::uint32_t first, last;  ///< tokens [first, last) of the stream
};

/// Parses functions. Keeps its parser, so each thread needs its own. Parsing takes tree-sitter's
/// time; the rest is linear.
class tree_parser {
public:
    tree_parser();
    ~tree_parser();

    /// Fills `nodes` with the tree of the tokens in `range`, in pre-order: a parent before its
    /// children, those in order. False if the parser gives up; `nodes` is then empty.
    bool parse(const token_stream& code, token_range range, std::vector<tree_node>& nodes);

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace cuset::syntax
