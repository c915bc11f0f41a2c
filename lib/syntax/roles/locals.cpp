#include "roles/locals.h"

#include <algorithm>

#include "cuset/syntax/declaration.h"

namespace cuset::syntax {
namespace {

using enum node_kind;
constexpr unsigned deepest = 40;               // nested expressions; what is deeper is no address
constexpr std::uint32_t longest_value = 4096;  // nodes of an initialiser that are looked at
constexpr unsigned most_rounds = 32;           // over assignments: keeps hostile text linear

}  // namespace

std::uint32_t function_locals::child(std::uint32_t node, node_field field) const {
    const auto& nodes = *nodes_;
    for (std::uint32_t c = node + 1; c < nodes[node].end; c = nodes[c].end)
        if (nodes[c].field == field) return c;
    return no_token;
}

std::uint32_t function_locals::find(std::uint32_t node, node_kind kind) const {
    const auto& nodes = *nodes_;
    for (std::uint32_t i = node; i < nodes[node].end; ++i)
        if (nodes[i].kind == kind) return i;
    return no_token;
}

std::string_view function_locals::text(std::uint32_t node) const {
    const tree_node& n = (*nodes_)[node];
    return n.first < n.last ? code_->raw(n.first) : std::string_view();
}

std::string_view function_locals::spelling(std::uint32_t node) const {
    const tree_node& n = (*nodes_)[node];
    if (n.first >= n.last) return {};
    const std::uint32_t begin = code_->tokens[n.first].begin;
    return code_->text.substr(begin, code_->tokens[n.last - 1].end - begin);
}

bool function_locals::is_leaf_text(std::uint32_t node, std::string_view wanted) const {
    const tree_node& n = (*nodes_)[node];
    return n.end == node + 1 && n.last == n.first + 1 && code_->raw(n.first) == wanted;
}

void function_locals::classify() {
    const auto& nodes = *nodes_;
    classes_.assign(nodes.size(), word_class::none);
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].end == i + 1 && nodes[i].first < nodes[i].last &&
            code_->is(nodes[i].first, word))
            classes_[i] = class_of_word(code_->raw(nodes[i].first));
}

bool function_locals::is_memory_access(std::uint32_t subscript, unsigned depth) const {
    if (depth > deepest) return false;
    const auto& nodes = *nodes_;
    std::uint32_t base = subscript + 1;
    if (base >= nodes[subscript].end) return false;
    while (nodes[base].kind == parentheses && base + 2 < nodes[subscript].end) base += 2;
    switch (nodes[base].kind) {
        case identifier: {
            const variable* const v = of(base);
            return v == nullptr || v->is_memory;
        }
        case node_kind::subscript: return is_memory_access(base, depth + 1);
        case field: {
            std::uint32_t root = base;
            while (nodes[root].kind == field) ++root;
            if (nodes[root].kind == node_kind::subscript) return is_memory_access(root, depth + 1);
            const variable* const v = of(root);
            return v == nullptr || v->is_memory || v->is_parameter;
        }
        default: return true;
    }
}

bool function_locals::is_address_sum(std::uint32_t node, unsigned depth) const {
    if (depth > deepest) return false;
    const std::uint32_t left = child(node, node_field::left);
    const std::uint32_t right = child(node, node_field::right);
    const std::uint32_t op = child(node, node_field::operator_);
    if (left == no_token || right == no_token || op == no_token) return false;
    if (!is_leaf_text(op, "+") && !is_leaf_text(op, "-")) return false;
    const bool one = is_address(left, depth + 1), other = is_address(right, depth + 1);
    return one != other;
}

bool function_locals::is_address(std::uint32_t node, unsigned depth) const {
    if (depth > deepest) return false;
    const auto& nodes = *nodes_;
    switch (nodes[node].kind) {
        case identifier: {
            const variable* const v = of(node);
            return v != nullptr ? v->is_memory : globals_->contains(std::string(text(node)));
        }
        case pointer_expression: {
            const std::uint32_t inner = child(node, node_field::argument);
            if (inner == no_token || text(node + 1) != "&") return false;
            if (nodes[inner].kind == node_kind::subscript)
                return is_memory_access(inner, depth + 1);
            std::uint32_t root = inner;
            while (nodes[root].kind == field) ++root;
            return is_address(root, depth + 1);
        }
        case binary: return is_address_sum(node, depth + 1);
        case parentheses: return node + 2 < nodes[node].end && is_address(node + 2, depth + 1);
        case cast: {
            const std::uint32_t value = child(node, node_field::value);
            return value != no_token && is_address(value, depth + 1);
        }
        case conditional: {
            const std::uint32_t value = child(node, node_field::consequence);
            return value != no_token && is_address(value, depth + 1);
        }
        case call: {
            const std::uint32_t list = find(node, argument_list);
            const std::uint32_t name = node + 1;
            return nodes[name].kind == template_function && text(name).ends_with("_cast") &&
                   list != no_token && list + 2 < nodes[list].end &&
                   is_address(list + 2, depth + 1);
        }
        default: return false;
    }
}

// The class depends on what precedes the name: cg:: makes any call one of a group, and so does a
// group's variable.
word_class function_locals::class_of_call(std::uint32_t call_node) const {
    const auto& nodes = *nodes_;
    std::uint32_t name = call_node + 1;
    if (name >= nodes[call_node].end) return word_class::none;
    bool in_group = false, in_library = false, is_method = false, of_group = false;
    while (true) {
        if (nodes[name].kind == qualified) {
            in_group |= class_of(name + 1) == word_class::group_scope;
            in_library |= text(name + 1) == "cuda";
            const std::uint32_t next = child(name, node_field::name);
            if (next == no_token) return word_class::none;
            name = next;
        } else if (nodes[name].kind == template_function && name + 1 < nodes[name].end) {
            ++name;
        } else if (nodes[name].kind == field) {
            const variable* const v = of(name + 1);
            of_group = v != nullptr && v->is_group;
            is_method = true;
            const std::uint32_t next = child(name, node_field::member);
            if (next == no_token) return word_class::none;
            name = next;
        } else {
            break;
        }
    }
    const word_class c = class_of(name);
    switch (c) {
        case word_class::size_call: return of_group ? word_class::rank_call : word_class::none;
        case word_class::rank_call: return c;
        case word_class::sync_method:
            return is_method || in_group ? word_class::sync_call : word_class::none;
        case word_class::memory_call:
        case word_class::sync_call:
        case word_class::texture_read:
        case word_class::texture_write: return c;
        case word_class::none:
        case word_class::library_sync:
            return in_group || of_group || (in_library && c == word_class::library_sync)
                       ? word_class::sync_call
                       : word_class::none;
        default: return c;
    }
}

bool function_locals::is_group_type(std::uint32_t type) const {
    const auto& nodes = *nodes_;
    bool library = false;
    for (std::uint32_t i = type; i < nodes[type].end; ++i) {
        if (nodes[i].kind == template_arguments) break;
        const word_class c = class_of(i);
        if (c == word_class::sync_type || c == word_class::group_scope) return true;
        if (nodes[i].kind == namespace_identifier) library |= text(i) == "cuda";
        if (c == word_class::library_sync && library) return true;
    }
    return false;
}

bool function_locals::is_group_comparison(std::uint32_t node) const {
    const auto& nodes = *nodes_;
    if (nodes[node].kind != binary) return false;
    std::uint32_t left = node + 1;
    if (nodes[left].kind == binary) ++left;
    const std::uint32_t name = nodes[left].kind == qualified ? child(left, node_field::name) : left;
    if (name == no_token || class_of(name) != word_class::sync_type) return false;
    const std::uint32_t right = child(node, node_field::right);
    return right != no_token && nodes[right].kind == node_kind::assignment;
}

std::uint32_t function_locals::scope_end_of(std::uint32_t node) const {
    const auto& nodes = *nodes_;
    while (node != 0) {
        node = nodes[node].parent;
        const node_kind k = nodes[node].kind;
        if (k == compound || k == for_ || k == function || k == lambda) break;
    }
    return nodes[node].end;
}

void function_locals::declare_one(std::uint32_t declaration_node, std::uint32_t declarator_node) {
    const auto& nodes = *nodes_;
    const std::uint32_t name = find(declarator_node, identifier);
    if (name == no_token) return;
    variable v;
    v.is_parameter = nodes[declaration_node].kind == parameter;
    const std::uint32_t value = nodes[declarator_node].kind == init_declarator
                                    ? child(declarator_node, node_field::value)
                                    : no_token;
    bool is_array = false, is_reference = false;
    for (std::uint32_t i = declarator_node; i < name; ++i) {
        v.is_pointer |= nodes[i].kind == pointer_declarator;
        is_array |= nodes[i].kind == array_declarator;
        is_reference |= nodes[i].kind == reference_declarator;
    }
    if (v.is_parameter && is_array) v.is_pointer = true;
    bool is_arithmetic = false;
    const std::uint32_t type = child(declaration_node, node_field::type);
    for (std::uint32_t i = declaration_node + 1; i < declarator_node; ++i) {
        const word_class c = class_of(i);
        if (c == word_class::memory_mark || c == word_class::memory_type) v.is_memory = true;
        if (nodes[i].end == i + 1 && is_floating_type(text(i))) v.is_floating = true;
        if (nodes[i].end == i + 1 && is_arithmetic_type_word(text(i))) is_arithmetic = true;
    }
    if (type != no_token) v.is_group = is_group_type(type);
    if (value != no_token) {
        if (!is_arithmetic && is_address(value)) v.is_pointer = true;
        const bool access = nodes[value].kind == node_kind::subscript && is_memory_access(value);
        if (is_reference && access) v.is_memory = true;
        if (nodes[value].kind == call && class_of_call(value) == word_class::sync_call &&
            text(type == no_token ? value : type) == "auto")
            v.is_group = true;
    }
    v.is_memory |= v.is_pointer;
    if (v.is_memory) v.is_floating = v.is_group = false;
    const auto index = static_cast<std::uint32_t>(variables_.size());
    variables_.push_back(v);
    variable_of_[name] = index;
    scopes_[text(name)].push_back({index, scope_end_of(declaration_node)});
}

// Resolves each identifier to the declaration in sight. A declarator is judged where it ends, since
// what its initialiser names must be resolved before.
void function_locals::declare() {
    const auto& nodes = *nodes_;
    variable_of_.assign(nodes.size(), no_variable);
    variables_.clear();
    scopes_.clear();
    std::vector<std::uint32_t> open;
    const auto close = [&](std::uint32_t at) {
        for (; !open.empty() && nodes[open.back()].end <= at; open.pop_back())
            declare_one(nodes[open.back()].parent, open.back());
    };
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        close(i);
        const node_kind around = nodes[nodes[i].parent].kind;
        if (nodes[i].field == node_field::declarator &&
            (around == node_kind::declaration || around == parameter))
            open.push_back(i);
        if (nodes[i].kind == binary && is_group_comparison(i)) {
            const std::uint32_t name = find(child(i, node_field::right), identifier);
            if (name != no_token) {
                variable v;
                v.is_group = true;
                scopes_[text(name)].push_back(
                    {static_cast<std::uint32_t>(variables_.size()), scope_end_of(i)});
                variables_.push_back(v);
            }
        }
        if (nodes[i].kind != identifier) continue;
        const auto known = scopes_.find(text(i));
        if (known == scopes_.end()) continue;
        auto& seen = known->second;
        while (!seen.empty() && seen.back().end <= i) seen.pop_back();
        if (!seen.empty()) variable_of_[i] = seen.back().variable;
    }
    close(static_cast<std::uint32_t>(nodes.size()));
}

void function_locals::note_accesses() {
    const auto& nodes = *nodes_;
    accesses_.assign(nodes.size() + 1, 0);
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        bool access = false;
        switch (nodes[i].kind) {
            case node_kind::subscript: access = is_memory_access(i); break;
            case jump:
            case return_: access = true; break;
            case pointer_expression: {
                const std::uint32_t inner = child(i, node_field::argument);
                access = inner != no_token && text(i + 1) == "*"
                             ? is_address(inner)
                             : nodes[nodes[i].parent].kind == argument_list && is_address(i);
                break;
            }
            case field: access = is_address(i + 1); break;
            case identifier: {
                // Memory that a call is given, or that is assigned whole: a shared flag.
                const node_kind around = nodes[nodes[i].parent].kind;
                access =
                    (around == argument_list || around == node_kind::assignment) && is_address(i);
                break;
            }
            case call: {
                const word_class c = class_of_call(i);
                access = c == word_class::memory_call || c == word_class::texture_read ||
                         c == word_class::texture_write ||
                         (c == word_class::sync_call && text(i + 1).starts_with("atomic"));
                break;
            }
            default: break;
        }
        accesses_[i + 1] = accesses_[i] + (access ? 1 : 0);
    }
}

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
