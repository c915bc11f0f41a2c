#include "roles/locals.h"

#include "cuset/syntax/declaration.h"

namespace cuset::syntax {
namespace {

using enum node_kind;
constexpr unsigned deepest = 40;  // nested expressions; what is deeper is no address

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

}  // namespace cuset::syntax
