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

// "0" if it depends on a parameter of the template.
std::string kernel_needs::bounds_of(const cuda_function& f) const {
    if (f.launch_bounds.empty()) return "0";
    std::unordered_set<std::string> head;  // the words before it
    for (std::uint32_t i = f.head.first; i < f.launch_bounds.end && f.is_template; ++i) {
        if (!code_.is(i, word)) continue;
        if (i < f.launch_bounds.first) {
            head.insert(code_.spelling(i));
        } else if (head.contains(code_.spelling(i))) {
            return "0";
        }
    }
    return source_of(code_, f.launch_bounds);
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
