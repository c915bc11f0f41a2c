#include "roles/device_roles.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

namespace cuset::syntax {
namespace {

using enum node_kind;

std::optional<token_role> role_of_class(word_class c) {
    switch (c) {
        case word_class::coordinate:
        case word_class::rank_call: return token_role::index;
        case word_class::sync_call:
        case word_class::sync_type:
        case word_class::group_scope:
        case word_class::host_wait: return token_role::sync;
        case word_class::memory_call:
        case word_class::texture_read:
        case word_class::texture_write: return token_role::memory;
        case word_class::transfer_call: return token_role::transfer;
        case word_class::launch_call:
        case word_class::launch_type:
        case word_class::launch_mark: return token_role::launch;
        default: return std::nullopt;
    }
}

}  // namespace

void device_role_reader::give_children(std::uint32_t node, token_role role) {
    for (std::uint32_t c = node + 1; c < nodes_[node].end; c = nodes_[c].end) give(c, role);
}

// What an expression gives to itself and to the semicolon behind it.
token_role device_role_reader::role_of_expression(std::uint32_t node, token_role otherwise) const {
    switch (nodes_[node].kind) {
        case call: return role_of_class(locals_.class_of_call(node)).value_or(otherwise);
        case assembly: return role_of_assembly(node);
        case binary: return locals_.is_group_comparison(node) ? token_role::sync : otherwise;
        case assignment:
        case update: {
            std::uint32_t target = node + 1;
            if (nodes_[node].kind == update) target = locals_.child(node, node_field::argument);
            if (target == no_token) return otherwise;
            while (nodes_[target].kind == field) ++target;
            const variable* const v = locals_.of(target);
            if (v == nullptr) return otherwise;
            if (v->is_index()) return token_role::index;
            if (v->is_bound()) return token_role::bound;
            // A new address, not a new value: `row += n`, `a = b`.
            const std::uint32_t value = locals_.child(node, node_field::right);
            const std::uint32_t op = locals_.child(node, node_field::operator_);
            const bool steps = value == no_token || (op != no_token && locals_.spelling(op) != "=");
            const bool is_address =
                v->is_memory && nodes_[target].kind == identifier && nodes_[target].parent == node;
            if (is_address && v->is_pointer && (steps || locals_.is_address(value)))
                return token_role::memory;
            return otherwise;
        }
        default: return otherwise;
    }
}

token_role device_role_reader::role_of_assembly(std::uint32_t node) const {
    const std::uint32_t words = locals_.child(node, node_field::assembly_code);
    if (words == no_token) return token_role::arithmetic;
    return role_of_instructions(locals_.spelling(words)).value_or(token_role::arithmetic);
}

token_role device_role_reader::role_of_declarator(std::uint32_t declaration_node,
                                                  std::uint32_t declarator,
                                                  token_role otherwise) const {
    const std::uint32_t name = locals_.find(declarator, identifier);
    const variable* const v = name == no_token ? nullptr : locals_.of(name);
    if (v != nullptr) {
        if (v->is_memory) return token_role::memory;
        if (v->is_group) return token_role::sync;
        if (v->is_index()) return token_role::index;
        if (v->is_bound()) return token_role::bound;
    }
    // Declarations of parameters without names, and of what has no declarator that is read.
    for (std::uint32_t i = declaration_node + 1; i < declarator; ++i)
        if (locals_.class_of(i) == word_class::memory_mark) return token_role::memory;
    return otherwise;
}

void device_role_reader::visit_declaration(std::uint32_t node) {
    token_role role = given_[node];
    bool is_first = true;
    std::vector<std::uint32_t> before;  // the first declarator's role is theirs too
    for (std::uint32_t c = node + 1; c < nodes_[node].end; c = nodes_[c].end) {
        if (nodes_[c].field != node_field::declarator) {
            give(c, role);
            if (is_first) before.push_back(c);
            continue;
        }
        const token_role own = role_of_declarator(node, c, given_[node]);
        if (is_first) {
            role = own;
            for (const std::uint32_t b : before) give(b, role);
        }
        is_first = false;
        give(c, own);
    }
}

void device_role_reader::visit_subscript(std::uint32_t node) {
    if (!locals_.is_memory_access(node)) return give_children(node, given_[node]);
    give_children(node, token_role::memory);
    for (std::uint32_t c = node + 1; c < nodes_[node].end; c = nodes_[c].end)
        if (nodes_[c].kind == subscript_list) {
            fixed_[c] = true;
            for (std::uint32_t i = c + 1; i < nodes_[c].end; i = nodes_[i].end)
                give(i, nodes_[i].kind == leaf ? token_role::memory : token_role::index);
        }
}

void device_role_reader::visit_call(std::uint32_t node) {
    const word_class c = locals_.class_of_call(node);
    const auto own = role_of_class(c);
    if (!own) {
        const bool is_cast = nodes_[node].end > node + 1 && locals_.is_address(node);
        return give_children(node, is_cast ? token_role::memory : given_[node]);
    }
    give_children(node, *own);
    if (c != word_class::texture_read && c != word_class::texture_write) return;
    const std::uint32_t list = locals_.find(node, argument_list);
    if (list == no_token) return;
    fixed_[list] = true;
    unsigned place = 0;
    for (std::uint32_t i = list + 1; i < nodes_[list].end; i = nodes_[i].end) {
        if (nodes_[i].kind == leaf) {
            give(i, token_role::memory);
            continue;
        }
        const unsigned texture = c == word_class::texture_write ? 1 : 0;
        give(i, place > texture ? token_role::index : token_role::memory);
        ++place;
    }
}

// Gives the condition's operands, and what joins them, their roles.
void device_role_reader::visit_condition(std::uint32_t node, std::uint32_t condition) {
    const token_role around = given_[node];
    if (condition == no_token || !locals_.is_bound(condition)) return;
    for (std::uint32_t c = node + 1; c < nodes_[node].end; c = nodes_[c].end)
        if (nodes_[c].kind == leaf) give(c, token_role::bound);
    give(condition, token_role::bound);
    std::vector<std::uint32_t> waiting{condition};
    while (!waiting.empty()) {
        const std::uint32_t n = waiting.back();
        waiting.pop_back();
        const bool wrapped = nodes_[n].kind == parentheses || nodes_[n].kind == condition_clause;
        const std::uint32_t op =
            nodes_[n].kind == binary ? locals_.child(n, node_field::operator_) : no_token;
        const bool joins =
            op != no_token && is_one_of(locals_.spelling(op), {"&&", "||", "and", "or"});
        if (wrapped || joins) {
            give(n, token_role::bound);
            fixed_[n] = true;
            for (std::uint32_t c = n + 1; c < nodes_[n].end; c = nodes_[c].end) {
                give(c, token_role::bound);
                if (nodes_[c].kind != leaf) waiting.push_back(c);
            }
        } else {
            give(n, locals_.is_bound(n)           ? token_role::bound
                    : around == token_role::bound ? token_role::arithmetic
                                                  : around);
        }
    }
}

void device_role_reader::visit_leaf(std::uint32_t node) {
    token_role role = given_[node];
    const word_class c = locals_.class_of(node);
    if (nodes_[node].kind == identifier) {
        if (const variable* const v = locals_.of(node)) {
            if (v->is_memory)
                role = token_role::memory;
            else if (v->is_group && role != token_role::index)
                role = token_role::sync;
            else if (v->is_index())
                role = token_role::index;
            else if (v->is_bound())
                role = token_role::bound;
        } else if (locals_.is_address(node)) {
            role = token_role::memory;
        }
    }
    if (c == word_class::coordinate) role = token_role::index;
    if (c == word_class::launch_mark) role = token_role::launch;
    for (std::uint32_t t = nodes_[node].first; t < nodes_[node].last; ++t) {
        (*roles_)[t] = role;
        reached_[t - first_] = true;
    }
}

void device_role_reader::visit(std::uint32_t node) {
    const tree_node& n = nodes_[node];
    const token_role given = given_[node];
    if (n.end == node + 1) {
        // What the grammar skips has no leaf but the error around it.
        if (n.kind != error && nodes_[n.parent].kind != error) visit_leaf(node);
        return;
    }
    if (fixed_[node]) return;
    switch (n.kind) {
        case compound: give_children(node, token_role::arithmetic); return;
        case declaration:
        case parameter: visit_declaration(node); return;
        case subscript: visit_subscript(node); return;
        case call: visit_call(node); return;
        case expression_statement: {
            const token_role role = role_of_expression(node + 1, token_role::arithmetic);
            give_children(node, role);
            give(node + 1, token_role::arithmetic);
            return;
        }
        case assignment:
        case update: {
            const token_role role = role_of_expression(node, given);
            give_children(node, role);
            const std::uint32_t value = locals_.child(node, node_field::right);
            if (role == token_role::memory && value != no_token && !locals_.is_address(value))
                give(value, token_role::index);
            return;
        }
        case assembly: give_children(node, role_of_assembly(node)); return;
        case launch_bounds: give_children(node, token_role::launch); return;
        case field: {
            const std::uint32_t base = node + 1;
            std::uint32_t root = base;
            while (nodes_[root].kind == field) ++root;
            token_role role = given;
            if (locals_.class_of(root) == word_class::coordinate)
                role = token_role::index;
            else if (nodes_[root].kind == subscript ? locals_.is_memory_access(root)
                                                    : locals_.is_address(root))
                role = given == token_role::sync ? token_role::sync : token_role::memory;
            else if (const variable* const v = locals_.of(root); v != nullptr && v->is_index())
                role = token_role::index;
            give_children(node, role);
            return;
        }
        case pointer_expression: {
            const std::uint32_t operand = locals_.child(node, node_field::argument);
            const bool memory =
                operand != no_token && (locals_.text(node + 1) == "*" ? locals_.is_address(operand)
                                                                      : locals_.is_address(node));
            give_children(node, memory ? token_role::memory : given);
            return;
        }
        case cast:
            give_children(node, locals_.is_address(node) ? token_role::memory : given);
            return;
        case binary: {
            give_children(node, role_of_expression(node, given));
            if (!locals_.is_address_sum(node)) return;
            for (std::uint32_t c = node + 1; c < n.end; c = nodes_[c].end)
                give(c, nodes_[c].kind == leaf || locals_.is_address(c) ? token_role::memory
                                                                        : token_role::index);
            return;
        }
        case conditional:
        case if_:
        case while_:
        case do_:
        case for_:
            give_children(node, given);
            visit_condition(node, locals_.child(node, node_field::condition));
            if (n.kind == if_)
                for (std::uint32_t c = node + 1; c < n.end; c = nodes_[c].end)
                    if (nodes_[c].field == node_field::alternative) give(c, token_role::arithmetic);
            return;
        default: give_children(node, given); return;
    }
}

std::size_t device_role_reader::read(const token_stream& code, token_range range,
                                     const std::unordered_set<std::string>& globals,
                                     std::vector<token_role>& roles) {
    code_ = &code;
    roles_ = &roles;
    first_ = range.first;
    reached_.assign(range.end - range.first, false);
    if (parser_.parse(code, range, nodes_)) {
        locals_.read(code, nodes_, globals);
        given_.assign(nodes_.size(), token_role::arithmetic);
        fixed_.assign(nodes_.size(), false);
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) visit(i);
    }
    std::size_t recovered = 0;
    for (std::uint32_t t = range.first; t < range.end; ++t)
        if (!reached_[t - first_]) recovered += code.tokens[t].end - code.tokens[t].begin;
    return recovered;
}

}  // namespace cuset::syntax
