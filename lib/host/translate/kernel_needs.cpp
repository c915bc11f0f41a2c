#include "kernel_needs.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "text_edits.h"

namespace cuset {

using namespace syntax;

namespace {

/// Whether the variable's name at i is used for more than a place to write to.
bool is_read(const token_stream& code, std::uint32_t i) {
    if (is_member_or_qualified(code, i)) return false;
    i = after_parts(code, i + 1, code.size(), {'[', '.'});
    return !is_assignment(code, i) && !is_step(code, i);
}

}  // namespace

std::vector<bool> shared_that_are_read(const cuda_program& program) {
    const token_stream& code = program.code;
    std::vector<bool> are_read;
    std::map<std::pair<std::uint32_t, std::string>, std::size_t> unread;  // by function and name
    for (const shared_declaration& d : program.shared) {
        const std::uint32_t f = program.function_of[d.marker];
        for (const auto& each : d.declarators) {
            if (d.define == no_token && !d.is_extern && d.in_function && f != no_token &&
                each.name.end == each.name.first + 1) {
                unread[{f, code.spelling(each.name.first)}] = are_read.size();
            }
            are_read.push_back(false);
        }
    }
    auto next = program.shared.begin();
    for (std::uint32_t i = 0; i < code.size() && !unread.empty(); ++i) {
        while (next != program.shared.end() && next->all.end <= i) ++next;
        if (next != program.shared.end() && next->all.first <= i) {
            i = next->all.end - 1;
            continue;
        }
        if (!code.is(i, word) || program.function_of[i] == no_token) continue;
        const auto found = unread.find({program.function_of[i], code.spelling(i)});
        if (found == unread.end() || !is_read(code, i)) continue;
        are_read[found->second] = true;
        unread.erase(found);
    }
    return are_read;
}

kernel_needs::kernel_needs(const cuda_program& program, std::uint32_t first_shared)
    : program_(program),
      first_shared_(first_shared),
      code_(program.code),
      variables_(program.functions.size()),
      calls_(program.functions.size()),
      discards_(program.functions.size()) {
    for (std::uint32_t i = 0; i + 1 < code_.size(); ++i) {
        const std::uint32_t f = program_.function_of[i];
        if (f != no_token && code_.is_word(i, "if") && code_.is_word(i + 1, "constexpr"))
            discards_[f] = true;
    }
    for (const cuda_macro& m : program_.macros)
        for (std::uint32_t i = m.replacement.first; i + 1 < m.replacement.end; ++i)
            if (code_.is_word(i, "__launch_bounds__") && code_.is(i + 1, '('))
                bounding_[code_.spelling(m.name)] = {&m, i};
    find_variables();
    find_calls();
}

void kernel_needs::find_variables() {
    const std::vector<bool> are_read = shared_that_are_read(program_);
    for (const shared_declaration& d : program_.shared) {
        for (std::uint32_t i = 0; i < d.declarators.size(); ++i)
            if (are_read[d.number + i])
                variables_[program_.function_of[d.marker]].push_back(d.number + i);
    }
}

// Finds calls of functions by name; overloaded functions are left out.
void kernel_needs::find_calls() {
    std::unordered_map<std::string, std::uint32_t> by_name;
    std::unordered_set<std::string> ambiguous = program_.macro_names;
    for (std::uint32_t i = 0; i < program_.functions.size(); ++i) {
        const cuda_function& f = program_.functions[i];
        if (f.body.empty()) continue;
        if (f.in_class || f.is_lambda || f.define != no_token || !f.branches.empty() ||
            !by_name.emplace(f.name, i).second) {
            ambiguous.insert(f.name);
        }
    }
    for (const std::string& name : ambiguous) by_name.erase(name);
    for (std::uint32_t i = 1; i + 1 < code_.size(); ++i) {
        if (!code_.is(i, word) || !(code_.is(i + 1, '(') || code_.is(i + 1, less))) continue;
        const std::uint32_t caller = program_.function_of[i];
        if (caller == no_token || is_member(code_, i)) continue;
        const auto called = by_name.find(code_.spelling(i));
        if (called == by_name.end() || called->second == caller ||
            program_.functions[called->second].is_global) {
            continue;
        }
        calls_[caller].push_back(called->second);
    }
}

std::vector<std::uint32_t> kernel_needs::variables_of(std::uint32_t function) const {
    constexpr std::size_t most = 64;  // functions, and variables: keeps hostile text linear
    std::vector<std::uint32_t> found, todo{function};
    for (std::size_t at = 0; at < todo.size(); ++at) {
        const std::uint32_t f = todo[at];
        if (discards_[f]) continue;
        for (const std::uint32_t v : variables_[f]) {
            if (found.size() < most) found.push_back(v);
        }
        std::size_t looked = 0;
        for (const std::uint32_t g : calls_[f]) {
            if (todo.size() >= most || ++looked > most) break;
            if (std::ranges::find(todo, g) == todo.end()) todo.push_back(g);
        }
    }
    std::ranges::sort(found);
    return found;
}

// The first argument of the __launch_bounds__ that the macro named at `use` stands for, or the
// macro's argument that stands there.
token_range kernel_needs::bounds_in_macro(std::uint32_t use) const {
    const auto found = bounding_.find(code_.spelling(use));
    if (found == bounding_.end()) return {};
    const auto [macro, at] = found->second;
    const auto arguments_of = [this](std::uint32_t i) {
        return split_at_commas(code_, {i + 1, code_.group_end(i + 1) + 1});
    };
    const auto all = arguments_of(at);
    if (all.empty()) return {};
    token_range first = all.front();
    while (code_.is(first.first, '(') && code_.tokens[first.first].link == first.end - 1)
        first = {first.first + 1, first.end - 1};
    for (std::size_t k = 0; k < macro->parameters.size(); ++k) {
        const std::string parameter = code_.spelling(macro->parameters[k]);
        if (!code_.has_word(first, {parameter})) continue;
        if (first.end != first.first + 1 || !code_.is(use + 1, '(')) return {};
        const auto given = arguments_of(use);
        return k < given.size() ? given[k] : token_range{};
    }
    return first;
}

// The bounds as written, also by way of a macro; may be empty.
token_range kernel_needs::bounds_range(const cuda_function& f) const {
    token_range found = f.launch_bounds;
    for (std::uint32_t i = f.head.first; i < f.head.end && found.empty(); ++i)
        if (code_.is(i, word) && !bounding_.empty()) found = bounds_in_macro(i);
    return found;
}

// Whether they depend on a parameter of the template.
bool kernel_needs::has_dependent_bounds(const cuda_function& f) const {
    if (!f.is_template) return false;
    const token_range bounds = bounds_range(f);
    std::unordered_set<std::string> head;  // the words beside them
    for (std::uint32_t i = f.head.first; i < f.head.end; ++i)
        if (code_.is(i, word) && (i < bounds.first || i >= bounds.end))
            head.insert(code_.spelling(i));
    for (std::uint32_t i = bounds.first; i < bounds.end; ++i)
        if (code_.is(i, word) && head.contains(code_.spelling(i))) return true;
    return false;
}

// "0" if it depends on a parameter of the template.
std::string kernel_needs::bounds_of(const cuda_function& f) const {
    const token_range bounds = bounds_range(f);
    return bounds.empty() || has_dependent_bounds(f) ? "0" : source_of(code_, bounds);
}

// `k<T, n, rest...>` of `template <class T, int n, class... rest> void k()`; empty if a parameter
// has no name, or is more than a type or a value.
std::string kernel_needs::own_instance_of(const cuda_function& f) const {
    const std::uint32_t open = f.head.first + 1;
    if (!code_.is_word(f.head.first, "template") || !code_.is(open, less)) return {};
    const std::uint32_t close = closing_angle(code_, open, f.head.end);
    if (close == no_token) return {};
    std::string instance = f.name + '<', parameter;
    bool is_named = true;  // up to a `=`, the last word is the name
    std::uint32_t words = 0;
    for (std::uint32_t i = open + 1; i <= close; ++i) {
        if (i == close || code_.is(i, ',')) {
            if (words < 2) return {};
            instance += parameter + (i == close ? ">" : ", ");
            is_named = true;
            words = 0;
        } else if (code_.is(i, '=')) {
            is_named = false;
        } else if (code_.is(i, '(') || code_.is(i, less) || code_.is_word(i, "template")) {
            return {};
        } else if (is_named && code_.is(i, word)) {
            const bool is_pack = code_.is(i - 1, '.');
            parameter = code_.spelling(i) + (is_pack ? "..." : "");
            ++words;
        }
    }
    return instance;
}

std::string kernel_needs::bounds_check_of(std::uint32_t function, bool is_overloaded) const {
    const cuda_function& f = program_.functions[function];
    const token_range bounds = bounds_range(f);
    if (bounds.empty() || !(is_overloaded || has_dependent_bounds(f))) return {};
    const std::string instance = is_overloaded ? "" : own_instance_of(f);
    return " if (::cuset_host::exceeds_bounds<" + (instance.empty() ? "" : '&' + instance + ", ") +
           "static_cast<unsigned>(" + source_of(code_, bounds) + ")>()) return;";
}

// The arguments of __cluster_dims__; empty if the kernel has none.
std::string kernel_needs::cluster_of(const cuda_function& f) const {
    for (std::uint32_t i = f.head.first; i < f.body.first; ++i) {
        if (!code_.is_word(i, "__cluster_dims__") || !code_.is(i + 1, '(')) continue;
        const std::uint32_t close = code_.tokens[i + 1].link;
        if (close == no_token || close == i + 2) return {};
        return source_of(code_, {i + 2, close});
    }
    return {};
}

std::string kernel_needs::words_of(std::uint32_t function) const {
    const cuda_function& f = program_.functions[function];
    const std::string bounds = bounds_of(f);
    const auto variables = variables_of(function);
    const std::string cluster = cluster_of(f);
    if (bounds == "0" && variables.empty() && cluster.empty()) return {};
    std::string words = '"' + f.name + "\", " + bounds + ", {";
    for (const std::uint32_t v : variables) {
        if (!words.ends_with('{')) words += ", ";
        words += std::to_string(first_shared_ + v);
    }
    words += '}';
    return cluster.empty() ? words : words + ", dim3(" + cluster + ')';
}

}  // namespace cuset
