#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "host_names.h"
#include "refusal_search.h"

namespace cuset {

using namespace syntax;

namespace {

// Whether nvcc always compiles the function for the device.
bool is_root(const refusal_search& search, const cuda_function& f) {
    const token_stream& code = search.program.code;
    if (f.body.empty() || f.define != no_token || f.is_open) return false;
    if (f.is_global && search.names.launched.contains(f.name)) return true;
    if (f.is_template || f.in_class || f.scope != no_token) return false;
    if (code.has_word(f.head, {"static", "inline", "__forceinline__", "__inline__"})) return false;
    // A macro in the head may contain such a word too.
    for (std::uint32_t i = f.head.first; i < f.head.end; ++i) {
        if (code.is(i, word) && search.names.macros.contains(code.spelling(i))) return false;
    }
    return f.is_device_code() && !f.is_lambda;
}

}  // namespace

std::vector<bool> reached_functions(const refusal_search& search) {
    const auto& functions = search.program.functions;
    const token_stream& code = search.program.code;
    std::unordered_map<std::string, std::vector<std::uint32_t>> by_name;
    std::vector<std::uint32_t> todo;
    std::vector<bool> reached(functions.size());
    for (std::uint32_t i = 0; i < functions.size(); ++i) {
        const cuda_function& f = functions[i];
        if (!f.is_device_code() || f.body.empty() || f.define != no_token) continue;
        if (is_root(search, f)) {
            reached[i] = true;
            todo.push_back(i);
        } else if (!f.is_template && !f.in_class) {
            by_name[f.name].push_back(i);
        }
    }
    while (!todo.empty()) {
        const cuda_function& f = functions[todo.back()];
        todo.pop_back();
        for (std::uint32_t i = f.body.first; i < f.body.end && !by_name.empty(); ++i) {
            if (!code.is(i, word) || !code.is(i + 1, '(')) continue;
            const auto called = by_name.find(code.spelling(i));
            if (called == by_name.end()) continue;
            for (const std::uint32_t g : called->second) {
                reached[g] = true;
                todo.push_back(g);
            }
            by_name.erase(called);
        }
    }
    return reached;
}

namespace {

// Whether the `std` at i belongs to another namespace, as in cuda::std.
bool is_qualified_std(const token_stream& code, std::uint32_t i) {
    return code.is_word(i, "std") && i > 1 && code.is(i - 1, scope) && code.is(i - 2, word);
}

class device_code {
public:
    explicit device_code(refusal_search& search)
        : search_(search), program_(search.program), code_(program_.code), names_(search.names) {}

    void look_at_device(std::uint32_t function);

private:
    std::uint32_t look_at_std(const cuda_function& f, std::uint32_t i);
    void look_at_std_array(const cuda_function& f, std::uint32_t name);
    bool makes_object(std::uint32_t after) const;
    void look_at_class(const cuda_function& f, std::uint32_t i);
    void look_at_call(const cuda_function& f, std::uint32_t i);
    void look_at_member(const cuda_function& f, std::uint32_t i);
    void look_at_variable(std::uint32_t i, std::unordered_set<std::string>& declared);

    refusal_search& search_;
    const cuda_program& program_;
    const token_stream& code_;
    const names_in_program& names_;
};

// `std` or `numeric_limits` is at i. Returns the token to continue at.
std::uint32_t device_code::look_at_std(const cuda_function& f, std::uint32_t i) {
    std::uint32_t name = i;
    if (code_.is_word(i, "std")) {
        if (!code_.is(i + 1, scope) || !code_.is(i + 2, word)) return i;
        name = i + 2;
    }
    const std::uint32_t after = after_parts(code_, name + 1, f.body.end, {less});
    if (code_.is(after, less) && code_.tokens[after].count == 1) return name;
    const std::string spelled = code_.spelling(name);
    if (spelled == "numeric_limits") {
        if (code_.is(after, scope) && code_.is(after + 1, word) && code_.is(after + 2, '(') &&
            is_limit(code_.spelling(after + 1))) {
            search_.refuse_call(f, after + 1, code_.spelling(after + 1), true);
        }
        return name;
    }
    if (name == i) return i;
    const bool called = code_.is(after, '(');
    switch (name_in_std(spelled)) {
        case host_name::constexpr_function:
            if (called) search_.refuse_call(f, name, spelled, true);
            break;
        case host_name::function:
            if (called) search_.refuse_call(f, name, "std::" + spelled, false);
            break;
        case host_name::type:
            // An object of the type.
            if (called || code_.is(after, word) || code_.is(after, '{')) {
                search_.refuse_call(f, name, "std::" + spelled, false);
            }
            break;
        case host_name::constexpr_type:
            // Neither a copy nor a parameter, which is one.
            if (i > f.body.first && makes_object(after))
                search_.refuse_call(f, name, spelled, true);
            break;
        case host_name::array:
            if (code_.is(after, word)) look_at_std_array(f, after);
            break;
        case host_name::object: search_.refuse_call(f, name, "std::" + spelled, false); break;
        case host_name::none: break;
    }
    return name;
}

// Whether the tokens after a type make an object of it from no argument or from several.
bool device_code::makes_object(std::uint32_t i) const {
    const bool is_named = code_.is(i, word);
    if (is_named) ++i;
    if (is_named && code_.is(i, ';')) return true;
    if (!code_.is(i, '(') && !code_.is(i, '{')) return false;
    const std::uint32_t close = code_.tokens[i].link;
    return close != no_token && split_at_commas(code_, {i, close + 1}).size() > 1;
}

// A std::array has that name; its operator[] is constexpr.
void device_code::look_at_std_array(const cuda_function& f, std::uint32_t name) {
    constexpr std::uint32_t farthest = 256;  // tokens
    const std::string spelled = code_.spelling(name);
    const std::uint32_t end = std::min(f.body.end, name + farthest);
    for (std::uint32_t i = name + 1; i < end; ++i) {
        if (!code_.is_word(i, spelled) || is_member(code_, i)) continue;
        const bool is_declared_again =
            code_.is(i - 1, word) && !is_expression_keyword(code_.raw(i - 1));
        if (is_declared_again) return;
        if (code_.is(i + 1, '[')) {
            search_.refuse_call(f, i, "operator[]", true);
            return;
        }
    }
}

// The program's class at i has only host constructors. Refuses an object of it, unless it may be a
// copy.
void device_code::look_at_class(const cuda_function& f, std::uint32_t i) {
    const std::string name = code_.spelling(i);
    if (names_.macros.contains(name) || names_.variables.contains(name)) return;
    if (is_member_or_qualified(code_, i) || code_.is(i - 1, '~')) return;
    const bool begins = code_.is(i - 1, ';') || code_.is(i - 1, '{') || code_.is(i - 1, '}') ||
                        code_.is_word(i - 1, "const");
    std::uint32_t list = i + 1;
    if (code_.is(list, word)) {
        if (!begins) return;
        ++list;
    }
    const bool is_array = list == i + 2 && code_.is(list, '[') &&
                          code_.tokens[list].link != no_token &&
                          code_.is(code_.tokens[list].link + 1, ';');
    std::size_t count = 0;
    if (code_.is(list, '(') || code_.is(list, '{')) {
        const std::uint32_t close = code_.tokens[list].link;
        if (close == no_token) return;
        const auto arguments = split_at_commas(code_, {list, close + 1});
        count = arguments.size();
        const bool may_copy = count == 1 && !(arguments[0].end == arguments[0].first + 1 &&
                                              code_.is(arguments[0].first, number));
        if (may_copy) return;
    } else if (list == i + 1 || !(code_.is(list, ';') || is_array)) {
        return;
    }
    const host_class& made = names_.host_classes.at(name);
    if (count == 0 && made.has_default) return;
    for (const host_function& constructor : made.constructors) {
        if (!constructor.takes(count)) continue;
        search_.refuse_call(f, i, name + "::" + name, constructor.is_constexpr);
        return;
    }
}

void device_code::look_at_call(const cuda_function& f, std::uint32_t i) {
    const token& before = code_.tokens[i - 1];
    if (is_member(code_, i) || before.kind == paste || before.kind == '#' || before.kind == '~')
        return;
    if (before.kind == word && !is_expression_keyword(code_.raw(i - 1))) return;
    const std::uint32_t close = code_.tokens[i + 1].link;
    if (close == no_token) return;
    const std::string name = code_.spelling(i);
    if (names_.closures.contains({no_token, name}) && before.kind != scope &&
        names_.variables.at(name) == 1 && !names_.others.contains(name) &&
        !names_.hosts.contains(name)) {
        search_.refuse_call(f, i, "operator()", true);
    }
    if (names_.is_ambiguous(name)) return;
    const auto host = names_.hosts.find(name);
    if (host == names_.hosts.end()) {
        if (before.kind != scope && is_host_only_function(name))
            search_.refuse_call(f, i, name, false);
        return;
    }
    if (is_device_library_name(name)) return;
    const std::size_t arguments = split_at_commas(code_, {i + 1, close + 1}).size();
    const auto called = std::ranges::find_if(
        host->second, [&](const host_function& each) { return each.takes(arguments); });
    if (called != host->second.end()) search_.refuse_call(f, i, name, called->is_constexpr);
}

// `a.name(` or `A::name(`, if the program has that member only for the host, and no library has
// one.
void device_code::look_at_member(const cuda_function& f, std::uint32_t i) {
    constexpr std::string_view known[] = {
        "size",      "sync",     "thread_rank", "num_threads", "shfl", "shfl_up",
        "shfl_down", "shfl_xor", "begin",       "end",         "data", "real",
        "imag",      "first",    "second",      "get",         "load", "store",
        "wait",      "arrive",   "length",      "any",         "all",  "ballot"};
    const bool is_static = code_.is(i - 1, scope) && code_.is(i - 2, word) &&
                           !code_.is_word(i - 2, "std") && !code_.is(i - 3, scope);
    if (!is_member(code_, i) && !is_static) return;
    const std::string name = code_.spelling(i);
    if (!names_.host_members.contains(name) || names_.macros.contains(name) ||
        names_.variables.contains(name) || is_one_of(name, known)) {
        return;
    }
    search_.refuse_call(f, i, name, false);
}

// The name of a host variable is at i. `declared`: those that the function declares again.
void device_code::look_at_variable(std::uint32_t i, std::unordered_set<std::string>& declared) {
    if (names_.host_variables.empty()) return;
    if (is_member_or_qualified(code_, i)) return;
    std::string name = code_.spelling(i);
    if (!names_.host_variables.contains(name) || declared.contains(name)) return;
    if (code_.is(i - 1, ',') || code_.is(i - 1, '[')) {
        declared.insert(std::move(name));  // int a, name;
        return;
    }
    search_.refuse(i, "identifier \"" + name + "\" is undefined in device code");
}

void device_code::look_at_device(std::uint32_t function) {
    const cuda_function& f = program_.functions[function];
    for (std::uint32_t i = f.body.first; i < f.body.end; ++i) {
        // A discarded branch is not compiled.
        if (code_.is_word(i, "if") && code_.is_word(i + 1, "constexpr")) return;
    }
    const auto depth = program_.conditional_depth[f.body.first];
    if (f.is_global) {  // a copy of an argument is made and destroyed
        for (const token_range p : split_at_commas(code_, f.parameters)) {
            for (std::uint32_t i = p.first; i < p.end; ++i) {
                if (code_.is_word(i, "std") && !is_qualified_std(code_, i)) i = look_at_std(f, i);
            }
        }
    }
    std::unordered_set<std::string> declared;
    for (std::uint32_t i = f.body.first; i < f.body.end; ++i) {
        if (code_.is(i, define)) {
            i = code_.tokens[i].link;
            continue;
        }
        if (!code_.is(i, word) || program_.conditional_depth[i] != depth) continue;
        const std::string_view w = code_.raw(i);
        if (is_one_of(w, {"sizeof", "decltype", "noexcept", "alignof"})) {
            if (code_.is(i + 1, '(')) i = code_.group_end(i + 1);
        } else if (w == "thread_local") {
            search_.refuse(i,
                           "cannot use thread_local specifier for variable declarations in device "
                           "code");
        } else if (w == "throw" || (w == "try" && code_.is(i + 1, '{'))) {
            search_.refuse(i, "device code does not support exception handling");
        } else if (is_qualified_std(code_, i)) {
            ++i;  // cuda::std is for devices too
            if (code_.is(i + 1, word)) ++i;
        } else if (w == "std" || (w == "numeric_limits" && !names_.uses_cuda_std)) {
            i = look_at_std(f, i);
        } else if (names_.host_classes.contains(code_.spelling(i))) {
            look_at_class(f, i);
        } else if (code_.is(i + 1, '(')) {
            look_at_call(f, i);
            look_at_member(f, i);
        } else {
            look_at_variable(i, declared);
        }
        if (search_.first != no_token && search_.first <= i) return;
    }
}

}  // namespace

void look_at_device_code(refusal_search& search, const std::vector<bool>& reached) {
    device_code looking(search);
    for (std::uint32_t i = 0; i < reached.size(); ++i) {
        if (reached[i] && search.program.functions[i].branches.empty()) looking.look_at_device(i);
    }
}

}  // namespace cuset
