// The roles of a device function's tokens, from its syntax tree.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "cuset/syntax/roles.h"
#include "roles/locals.h"
#include "roles/syntax_tree.h"

namespace cuset::syntax {

/// Gives roles to the tokens of functions. Keeps its buffers and parser, so each thread needs its
/// own.
class device_role_reader {
public:
    /// Sets roles[i] for the tokens i of `range`, a function, if the grammar reads them; the others
    /// keep the role that they have. Returns the bytes of those. `globals`: names of memory outside
    /// functions.
    std::size_t read(const token_stream& code, token_range range,
                     const std::unordered_set<std::string>& globals,
                     std::vector<token_role>& roles);

private:
    void give(std::uint32_t node, token_role role) { given_[node] = role; }
    void give_children(std::uint32_t node, token_role role);
    void visit(std::uint32_t node);
    void visit_leaf(std::uint32_t node);
    void visit_subscript(std::uint32_t node);
    void visit_call(std::uint32_t node);
    void visit_declaration(std::uint32_t node);
    void visit_condition(std::uint32_t node, std::uint32_t condition);
    token_role role_of_declarator(std::uint32_t declaration, std::uint32_t declarator,
                                  token_role otherwise) const;
    token_role role_of_expression(std::uint32_t node, token_role otherwise) const;
    token_role role_of_assembly(std::uint32_t node) const;

    tree_parser parser_;
    function_locals locals_;
    std::vector<tree_node> nodes_;
    std::vector<token_role> given_;  // to each node by those around it
    std::vector<bool> fixed_;        // nodes whose children have theirs from a condition
    std::vector<bool> reached_;      // tokens of the range that have a leaf outside errors
    const token_stream* code_ = nullptr;
    std::vector<token_role>* roles_ = nullptr;
    std::uint32_t first_ = 0;
};

}  // namespace cuset::syntax
