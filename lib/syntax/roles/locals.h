// The variables of one device function, and which of them hold indices: a small data-flow over the
// syntax tree (cuset/syntax/roles.h has the definition).
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "roles/role_words.h"
#include "roles/syntax_tree.h"

namespace cuset::syntax {

constexpr std::uint32_t no_variable = UINT32_MAX;

struct variable {
    bool is_parameter = false;
    bool is_memory = false;   ///< an address, shared memory or a texture
    bool is_pointer = false;  ///< of is_memory, those whose own value is an address
    bool is_floating = false;
    bool is_group = false;       ///< a cooperative group, barrier, pipeline or atomic object
    bool is_coordinate = false;  ///< computed from threadIdx and the like
    bool is_used = false;        ///< in a subscript or address, directly or not
    bool is_compared = false;    ///< in a bound, or what one is computed from
    bool holds_condition = false;
    bool is_index() const {
        return is_coordinate && (is_used || (is_compared && !is_floating)) && !holds_condition;
    }
    bool is_bound() const { return is_coordinate && holds_condition && (is_used || is_compared); }
};

/// Reads the variables of a function's tree. Work is linear in the tree, but for a few rounds over
/// assignments. Buffers are reused.
class function_locals {
public:
    /// `globals`: names of memory outside functions.
    void read(const token_stream& code, const std::vector<tree_node>& nodes,
              const std::unordered_set<std::string>& globals);

    /// The variable that the identifier at the node names, or nullptr.
    const variable* of(std::uint32_t node) const {
        return variable_of_[node] == no_variable ? nullptr : &variables_[variable_of_[node]];
    }
    /// The class of the word of a leaf.
    word_class class_of(std::uint32_t node) const { return classes_[node]; }
    /// Whether the node names or yields an address of memory.
    bool is_address(std::uint32_t node, unsigned depth = 0) const;
    /// Whether a subscript accesses memory, not an array in registers.
    bool is_memory_access(std::uint32_t subscript, unsigned depth = 0) const;
    /// Whether a condition, or an operand of one, is a bound.
    bool is_bound(std::uint32_t node) const { return bound_[node]; }
    /// The class of what a call calls, seen with what is before the name.
    word_class class_of_call(std::uint32_t call) const;

    std::uint32_t child(std::uint32_t node, node_field field) const;
    /// The first node in the subtree of this kind, or no_token.
    std::uint32_t find(std::uint32_t node, node_kind kind) const;
    /// The first token of a node.
    std::string_view text(std::uint32_t node) const;
    /// All its bytes.
    std::string_view spelling(std::uint32_t node) const;
    bool is_leaf_text(std::uint32_t node, std::string_view wanted) const;
    /// Whether an expression is a group's declaration that the grammar takes for comparisons:
    /// `cg::thread_block_tile<32> t = …`.
    bool is_group_comparison(std::uint32_t node) const;
    /// Whether an operator of address arithmetic has an address on a side.
    bool is_address_sum(std::uint32_t binary, unsigned depth = 0) const;

private:
    struct assignment {
        std::uint32_t variable;
        std::uint32_t first, last;  // uses_ that it is computed from
        bool has_coordinate;
    };
    struct operand {
        std::uint32_t node;
        std::uint32_t first, last;
        bool has_coordinate;
    };
    struct guard {
        std::uint32_t condition;
        std::uint32_t first, last;  // operands_
    };

    void classify();
    void declare();
    void declare_one(std::uint32_t declaration, std::uint32_t declarator);
    bool is_group_type(std::uint32_t type) const;
    std::uint32_t scope_end_of(std::uint32_t node) const;
    void note_accesses();
    void collect();
    bool collect_uses(std::uint32_t node);
    void add_assignment(std::uint32_t variable, std::uint32_t value);
    void add_guard(std::uint32_t condition, std::initializer_list<std::uint32_t> guarded);
    void add_operands(std::uint32_t node);
    void mark_used(std::uint32_t node);
    bool is_condition(std::uint32_t node) const;
    void flow_coordinates();
    bool flow_back(bool variable::*mark);
    void flow();

    const token_stream* code_ = nullptr;
    const std::vector<tree_node>* nodes_ = nullptr;
    const std::unordered_set<std::string>* globals_ = nullptr;
    std::vector<word_class> classes_;
    std::vector<std::uint32_t> variable_of_;
    std::vector<variable> variables_;
    struct visible {
        std::uint32_t variable, end;
    };
    std::unordered_map<std::string_view, std::vector<visible>> scopes_;
    std::vector<std::uint32_t> accesses_;  // how many before each node: accesses and leaving
    std::vector<std::uint32_t> uses_;      // variables
    std::vector<assignment> assignments_;
    std::vector<operand> operands_;
    std::vector<guard> guards_;
    std::vector<bool> bound_;
};

}  // namespace cuset::syntax
