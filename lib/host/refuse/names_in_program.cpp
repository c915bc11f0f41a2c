#include "names_in_program.h"

#include <algorithm>
#include <utility>

namespace cuset {

using namespace syntax;

bool is_expression_keyword(std::string_view w) {
    return is_one_of(w, {"return", "else", "do", "case", "not", "and", "or", "co_return", "goto",
                         "typename", "const"});
}

namespace {

// The number of arguments that the function takes; unknown for a pack.
host_function arguments_of(const cuda_function& f) {
    return {f.parameter_count - std::min(f.defaults, f.parameter_count), f.parameter_count,
            f.is_constexpr};
}

// Returns whether there was room. The limit on overloads keeps hostile text linear.
bool add_overload(std::vector<host_function>& overloads, const host_function& f) {
    constexpr std::size_t most = 64;
    if (std::ranges::find(overloads, f) != overloads.end()) return true;
    if (overloads.size() == most) return false;
    overloads.push_back(f);
    return true;
}

// Whether a lambda without qualifiers is at i and goes up to a semicolon: it is not called at once.
bool is_closure(const token_stream& code, std::uint32_t i) {
    constexpr std::uint32_t longest_type = 64;  // tokens from its parameters to its body
    if (!code.is(i, '[') || code.tokens[i].link == no_token) return false;
    i = code.tokens[i].link + 1;
    if (code.is(i, '(') && code.tokens[i].link != no_token) {
        i = code.tokens[i].link + 1;
    } else if (!code.is(i, '{')) {
        return false;
    }
    for (const std::uint32_t end = i + longest_type; i < end && !code.is(i, '{'); ++i) {
        if (code.is(i, ';') || i >= code.size()) return false;
    }
    return code.is(i, '{') && code.tokens[i].link != no_token &&
           code.is(code.tokens[i].link + 1, ';');
}

// Whether no word before the constructor's name can be a qualifier.
bool has_plain_head(const token_stream& code, const cuda_function& f) {
    for (std::uint32_t i = f.head.first; i < f.name_token; ++i) {
        if (code.is(i, word) && !is_one_of(code.raw(i), {"explicit", "inline", "constexpr",
                                                         "public", "private", "protected"}))
            return false;
    }
    return true;
}

bool is_variadic(const token_stream& code, token_range parameters) {
    for (std::uint32_t i = parameters.first; i < parameters.end; ++i) {
        if (code.is(i, '.') || code.is(i, paste)) return true;
    }
    return false;
}

}  // namespace

names_in_program::names_in_program(const cuda_program& program) : macros(program.macro_names) {
    for (const cuda_launch& l : program.launches) launched.insert(l.name);
    collect_functions(program);
    collect_members(program);
    collect_classes(program);
    collect_variables(program);
}

bool names_in_program::has_macro(const cuda_program& program, token_range range) const {
    for (std::uint32_t i = range.first; i < range.end; ++i) {
        if (program.code.is(i, word) && macros.contains(program.code.spelling(i))) return true;
        if (program.conditional_depth[i] != program.conditional_depth[range.end - 1]) return true;
    }
    return false;
}

void names_in_program::collect_functions(const cuda_program& program) {
    for (const cuda_function& f : program.functions) {
        const bool host = !f.is_global && !f.is_device && !f.is_host && !f.in_class &&
                          !is_variadic(program.code, f.parameters) && f.define == no_token &&
                          f.branches.empty() && f.name_token != no_token && !f.is_open;
        if (!host || !add_overload(hosts[f.name], arguments_of(f))) others.insert(f.name);
    }
}

void names_in_program::collect_members(const cuda_program& program) {
    std::unordered_set<std::string> elsewhere, of_host;
    for (const cuda_function& f : program.functions) {
        const bool plain = f.define == no_token && f.branches.empty() && !f.is_open &&
                           !f.is_template && !f.is_lambda && !f.body.empty() &&
                           f.name_token != no_token && !has_macro(program, f.head);
        const bool is_member = plain && f.in_class && !program.code.has_word(f.head, {"operator"});
        if (is_member && !f.is_global && !f.is_device && !f.is_host) {
            host_members.insert(f.name);
        } else {
            elsewhere.insert(f.name);
        }
        if (plain && !f.in_class && f.is_device && !f.is_host && !f.is_global &&
            f.scope == no_token) {
            device_only.insert(f.name);
        } else {
            of_host.insert(f.name);
        }
    }
    for (const std::string& name : elsewhere) host_members.erase(name);
    for (const std::string& name : of_host) device_only.erase(name);
}

// Classes at namespace scope by their constructors.
void names_in_program::collect_classes(const cuda_program& program) {
    const token_stream& code = program.code;
    std::unordered_map<std::string, std::uint32_t> braces;  // by class; no_token: not judged
    for (std::uint32_t i = 0; i + 2 < code.size(); ++i) {
        if (!code.is_any_word(i, {"struct", "class"}) || !code.is(i + 1, word)) continue;
        std::uint32_t brace = i + 2;
        if (code.is_word(brace, "final")) ++brace;
        if (code.is(brace, ';')) continue;  // only declared
        const bool plain = code.is(brace, '{') && code.tokens[brace].link != no_token &&
                           program.function_of[i] == no_token &&
                           program.conditional_depth[i] == 0 &&
                           (i == 0 || code.is(i - 1, ';') || code.is(i - 1, '{') ||
                            code.is(i - 1, '}') || code.is(i - 1, define_end));
        const auto [at, is_new] = braces.emplace(code.spelling(i + 1), plain ? brace : no_token);
        if (!is_new && (plain || code.is(brace, '{') || code.is(brace, ':'))) at->second = no_token;
    }
    std::unordered_set<std::string> not_to_judge;
    for (const cuda_function& f : program.functions) {
        const auto found = braces.find(f.name);
        if (found == braces.end() || f.name_token == no_token) continue;
        // Not plain: destructors, members defined outside, templates, packs, other classes'
        // friends.
        const bool plain = f.scope == found->second && found->second != no_token &&
                           !f.is_template && f.define == no_token && f.branches.empty() &&
                           !f.is_open && !is_variadic(code, f.parameters) &&
                           has_plain_head(code, f);
        if (code.is(f.name_token - 1, '~')) continue;
        if (!plain || f.is_device || f.is_global || f.is_host) {
            not_to_judge.insert(f.name);
            continue;
        }
        host_class& made = host_classes[f.name];
        const std::uint32_t after = f.parameters.end;
        if (code.is(after, '=')) {
            if (code.is_word(after + 1, "default") && f.parameter_count == 0)
                made.has_default = true;
            continue;
        }
        const bool is_copy = code.has_word(f.parameters, {f.name});
        // A function that is only declared may be defined for the device.
        if (f.body.empty()) not_to_judge.insert(f.name);
        if (!is_copy && !add_overload(made.constructors, arguments_of(f)))
            not_to_judge.insert(f.name);
    }
    for (const std::string& name : not_to_judge) host_classes.erase(name);
}

// Words that are declared as something other than a function, as far as the neighbouring words
// show. Rather too many than too few.
void names_in_program::collect_variables(const cuda_program& program) {
    const token_stream& code = program.code;
    for (std::uint32_t i = 1; i + 1 < code.size(); ++i) {
        if (!code.is(i, word)) continue;
        uses_cuda_std |=
            code.is_word(i, "std") && code.is(i - 1, scope) && i > 1 && code.is_word(i - 2, "cuda");
        const std::uint8_t before = code.tokens[i - 1].kind;
        if (code.is_any_word(i - 1, {"struct", "class"})) continue;
        const bool declares = (before == word && !is_expression_keyword(code.raw(i - 1))) ||
                              before == '*' || before == '&' || before == greater;
        if (!declares) continue;
        const std::uint8_t after = code.tokens[i + 1].kind;
        if (after == '=' || after == ';' || after == ',' || after == ')' || after == '[' ||
            after == '{' || after == ':') {
            ++variables[code.spelling(i)];
            ++declared[{program.function_of[i], code.spelling(i)}];
        }
        if (after == '=' && code.is_word(i - 1, "auto") && program.conditional_depth[i] == 0 &&
            is_closure(code, i + 2)) {
            closures.emplace(program.function_of[i], code.spelling(i));
        }
    }
    for (const host_variable& v : program.variables)
        if (code.is(v.name - 1, ',')) ++variables[code.spelling(v.name)];
    std::uint32_t declared_at = no_token;
    bool is_macro_type = false;  // of the declaration there
    for (const host_variable& v : program.variables) {
        // Device code may use the value of a constant that is no array.
        if (v.is_const && !v.is_array) continue;
        if (std::exchange(declared_at, v.first) != v.first)
            is_macro_type = has_macro(program, {v.first, v.type_end});
        if (is_macro_type || has_macro(program, {v.declarator, v.name + 1})) continue;
        const std::string name = code.spelling(v.name);
        const auto found = variables.find(name);
        if (found != variables.end() && found->second == 1 && !others.contains(name) &&
            !hosts.contains(name)) {
            host_variables.insert(name);
        }
    }
}

}  // namespace cuset
