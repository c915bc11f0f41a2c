// What flows from one local variable to another: coordinates forward, uses back.
#include <algorithm>

#include "roles/locals.h"

namespace cuset::syntax {
namespace {

using enum node_kind;
constexpr std::uint32_t longest_value = 4096;  // nodes of an initialiser that are looked at
constexpr unsigned most_rounds = 32;           // over assignments: keeps hostile text linear

}  // namespace

// Appends the variables that the value depends on to uses_; returns whether a coordinate is among
// its words. Loads, atomics and shuffles hide what they are given.
bool function_locals::collect_uses(std::uint32_t node) {
    const auto& nodes = *nodes_;
    bool coordinate = false;
    const std::uint32_t end = std::min(nodes[node].end, node + longest_value);
    for (std::uint32_t i = node; i < end; ++i) {
        if (class_of(i) == word_class::coordinate) coordinate = true;
        switch (nodes[i].kind) {
            case node_kind::subscript:
                if (is_memory_access(i)) i = nodes[i].end - 1;
                break;
            case pointer_expression:
                if (text(i + 1) == "*") i = nodes[i].end - 1;
                break;
            case call: {
                const word_class c = class_of_call(i);
                if (c == word_class::rank_call) coordinate = true;
                if (c == word_class::sync_call || c == word_class::memory_call ||
                    c == word_class::texture_read || c == word_class::rank_call)
                    i = nodes[i].end - 1;
                break;
            }
            case identifier:
                if (variable_of_[i] != no_variable) uses_.push_back(variable_of_[i]);
                break;
            default: break;
        }
    }
    return coordinate;
}

bool function_locals::is_condition(std::uint32_t node) const {
    const auto& nodes = *nodes_;
    while (nodes[node].kind == parentheses && node + 2 < nodes[node].end) node += 2;
    if (nodes[node].kind == unary) return text(node + 1) == "!";
    if (nodes[node].kind != binary) return false;
    const std::uint32_t op = child(node, node_field::operator_);
    return op != no_token &&
           is_one_of(spelling(op), {"<", ">", "<=", ">=", "==", "!=", "&&", "||"});
}

void function_locals::add_assignment(std::uint32_t to, std::uint32_t value) {
    const auto first = static_cast<std::uint32_t>(uses_.size());
    const bool coordinate = collect_uses(value);
    assignments_.push_back({to, first, static_cast<std::uint32_t>(uses_.size()), coordinate});
    if (is_condition(value)) variables_[to].holds_condition = true;
}

void function_locals::add_operands(std::uint32_t node) {
    const auto& nodes = *nodes_;
    std::vector<std::uint32_t> waiting{node};
    while (!waiting.empty()) {
        const std::uint32_t n = waiting.back();
        waiting.pop_back();
        const bool wrapped = nodes[n].kind == parentheses || nodes[n].kind == condition_clause;
        if (wrapped && n + 2 < nodes[n].end) {
            waiting.push_back(n + 2);
            continue;
        }
        const std::uint32_t op =
            nodes[n].kind == binary ? child(n, node_field::operator_) : no_token;
        if (op != no_token && is_one_of(spelling(op), {"&&", "||", "and", "or"})) {
            waiting.push_back(child(n, node_field::right));
            waiting.push_back(child(n, node_field::left));
            continue;
        }
        const auto first = static_cast<std::uint32_t>(uses_.size());
        const bool coordinate = collect_uses(n);
        operands_.push_back({n, first, static_cast<std::uint32_t>(uses_.size()), coordinate});
    }
}

void function_locals::add_guard(std::uint32_t condition,
                                std::initializer_list<std::uint32_t> guarded) {
    if (condition == no_token) return;
    std::uint32_t count = 0;
    for (const std::uint32_t g : guarded)
        if (g != no_token) count += accesses_[(*nodes_)[g].end] - accesses_[g];
    if (count == 0) return;
    const auto first = static_cast<std::uint32_t>(operands_.size());
    add_operands(condition);
    guards_.push_back({condition, first, static_cast<std::uint32_t>(operands_.size())});
}

void function_locals::mark_used(std::uint32_t node) {
    const auto first = uses_.size();
    collect_uses(node);
    for (std::size_t i = first; i < uses_.size(); ++i) variables_[uses_[i]].is_used = true;
    uses_.resize(first);
}

void function_locals::collect() {
    const auto& nodes = *nodes_;
    uses_.clear();
    assignments_.clear();
    operands_.clear();
    guards_.clear();
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        switch (nodes[i].kind) {
            case init_declarator: {
                const std::uint32_t name = find(i, identifier);
                const std::uint32_t value = child(i, node_field::value);
                if (name != no_token && value != no_token && variable_of_[name] != no_variable)
                    add_assignment(variable_of_[name], value);
                break;
            }
            case node_kind::assignment: {
                const std::uint32_t left = child(i, node_field::left);
                const std::uint32_t right = child(i, node_field::right);
                if (left == no_token || right == no_token) break;
                std::uint32_t root = left;
                while (nodes[root].kind == field) ++root;
                if (nodes[root].kind != identifier || variable_of_[root] == no_variable) break;
                if (variables_[variable_of_[root]].is_memory)
                    mark_used(right);
                else
                    add_assignment(variable_of_[root], right);
                break;
            }
            case node_kind::subscript:
                if (is_memory_access(i)) mark_used(nodes[i + 1].end);
                break;
            case binary:
                if (is_address_sum(i)) {
                    const std::uint32_t left = child(i, node_field::left);
                    mark_used(is_address(left) ? child(i, node_field::right) : left);
                }
                break;
            case call: {
                const word_class c = class_of_call(i);
                if (c == word_class::texture_read || c == word_class::texture_write)
                    if (const std::uint32_t list = find(i, argument_list); list != no_token)
                        mark_used(list);
                break;
            }
            case if_:
                add_guard(child(i, node_field::condition),
                          {child(i, node_field::consequence), child(i, node_field::alternative)});
                break;
            case conditional:
                add_guard(child(i, node_field::condition),
                          {child(i, node_field::consequence), child(i, node_field::alternative)});
                break;
            case while_:
            case do_:
            case for_:
                add_guard(child(i, node_field::condition), {child(i, node_field::body)});
                break;
            default: break;
        }
    }
}

void function_locals::flow_coordinates() {
    bool changed = true;
    for (unsigned round = 0; changed && round < most_rounds; ++round) {
        changed = false;
        for (const assignment& a : assignments_) {
            variable& v = variables_[a.variable];
            if (v.is_coordinate || v.is_memory || v.is_group) continue;
            bool found = a.has_coordinate;
            for (std::uint32_t i = a.first; i < a.last && !found; ++i)
                found = variables_[uses_[i]].is_coordinate;
            changed |= v.is_coordinate = found;
        }
    }
}

bool function_locals::flow_back(bool variable::*mark) {
    bool any = false, changed = true;
    for (unsigned round = 0; changed && round < most_rounds; ++round) {
        changed = false;
        for (const assignment& a : assignments_) {
            if (!(variables_[a.variable].*mark)) continue;
            for (std::uint32_t i = a.first; i < a.last; ++i) {
                bool& reached = variables_[uses_[i]].*mark;
                changed |= !reached;
                reached = true;
            }
        }
        any |= changed;
    }
    return any;
}

void function_locals::flow() {
    flow_coordinates();
    flow_back(&variable::is_used);
    bound_.assign(nodes_->size(), false);
    bool changed = true;
    for (unsigned round = 0; changed && round < most_rounds; ++round) {
        changed = false;
        for (const guard& g : guards_) {
            for (std::uint32_t o = g.first; o < g.last; ++o) {
                const operand& each = operands_[o];
                if (bound_[each.node]) continue;
                bool found = each.has_coordinate;
                for (std::uint32_t i = each.first; i < each.last && !found; ++i) {
                    const variable& v = variables_[uses_[i]];
                    found = v.is_used || (v.is_coordinate && !v.is_floating);
                }
                if (!found) continue;
                bound_[each.node] = bound_[g.condition] = changed = true;
                for (std::uint32_t i = each.first; i < each.last; ++i)
                    variables_[uses_[i]].is_compared = true;
            }
        }
        changed |= flow_back(&variable::is_compared);
    }
}

void function_locals::read(const token_stream& code, const std::vector<tree_node>& nodes,
                           const std::unordered_set<std::string>& globals) {
    code_ = &code;
    nodes_ = &nodes;
    globals_ = &globals;
    classify();
    declare();
    note_accesses();
    collect();
    flow();
}

}  // namespace cuset::syntax
