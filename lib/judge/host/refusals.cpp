#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "host_names.h"
#include "rewriting.h"

namespace cuset {
namespace {

using namespace syntax;

bool is_expression_keyword(std::string_view w) {
    return w == "return" || w == "else" || w == "do" || w == "case" || w == "not" || w == "and" ||
           w == "or" || w == "co_return" || w == "goto" || w == "typename" || w == "const";
}

class refusals {
public:
    refusals(const cuda_program& program, const kernel_table& kernels)
        : program_(program), code_(program.code), kernels_(kernels) {}

    std::optional<translation_error> find();

private:
    void collect_functions();
    void collect_variables();
    void reach();
    bool is_root(const cuda_function& f) const;
    void look_at_heads();
    void look_at_shared();
    void look_at_device(std::uint32_t function);
    std::uint32_t look_at_std(const cuda_function& f, std::uint32_t i);
    void look_at_call(const cuda_function& f, std::uint32_t i);
    void look_at_variable(std::uint32_t i, std::unordered_set<std::string>& local);
    void look_at_array(const cuda_function& f, std::uint32_t i);
    void look_at_host();
    void look_at_host_calls();
    void look_at_lambdas();
    void look_at_member(const cuda_function& f, std::uint32_t i);
    bool is_ambiguous(const std::string& name) const {
        return others_.contains(name) || variables_.contains(name) || macros_.contains(name);
    }
    bool head_has(const cuda_function& f, std::string_view spelled) const;
    bool has_macro(token_range range) const;
    void refuse_call(const cuda_function& f, std::uint32_t i, const std::string& name,
                     bool is_constexpr);
    void refuse(std::uint32_t token, std::string message);

    const cuda_program& program_;
    const token_stream& code_;
    const kernel_table& kernels_;
    // Functions that only the host has, by name, and all names that mean something else as well.
    struct host_function {
        std::size_t parameters;
        bool is_constexpr;
    };
    std::unordered_map<std::string, std::vector<host_function>> hosts_;
    std::unordered_set<std::string> others_, macros_, launched_;
    // Members that only the host has, and functions that only the device has.
    std::unordered_set<std::string> host_members_, device_only_;
    std::unordered_map<std::string, std::size_t> variables_;  // how often declared
    std::unordered_set<std::string> host_variables_;
    std::vector<bool> reached_;
    std::uint32_t first_ = no_token;
    std::string message_;
};

void refusals::refuse(std::uint32_t token, std::string message) {
    if (first_ != no_token && first_ <= token) return;
    first_ = token;
    message_ = std::move(message);
}

void refusals::refuse_call(const cuda_function& f, std::uint32_t i, const std::string& name,
                           bool is_constexpr) {
    const char* const caller = f.is_global ? "__global__" : "__device__";
    std::string message = std::string("calling a ") + (is_constexpr ? "constexpr " : "") +
                          "__host__ function(\"" + name + "\") from a " + caller + " function(\"" +
                          (f.is_lambda ? "lambda" : f.name) + "\") is not allowed";
    if (is_constexpr) {
        message += ". The experimental flag '--expt-relaxed-constexpr' can be used to allow this.";
    }
    refuse(i, std::move(message));
}

bool refusals::head_has(const cuda_function& f, std::string_view spelled) const {
    for (std::uint32_t i = f.head.first; i < f.head.end; ++i) {
        if (code_.is_word(i, spelled)) return true;
    }
    return false;
}

bool refusals::has_macro(token_range range) const {
    for (std::uint32_t i = range.first; i < range.end; ++i) {
        if (code_.is(i, word) && macros_.contains(code_.spelling(i))) return true;
        // Or a conditional, which is as good as one.
        if (program_.conditional_depth[i] != program_.conditional_depth[range.end - 1]) return true;
    }
    return false;
}

void refusals::collect_functions() {
    for (const cuda_macro& m : program_.macros) macros_.insert(code_.spelling(m.name));
    for (const cuda_function& f : program_.functions) {
        bool variadic = false;
        for (std::uint32_t i = f.parameters.first; i < f.parameters.end; ++i) {
            if (code_.is(i, '.') || code_.is(i, paste)) variadic = true;
        }
        const bool host = !f.is_global && !f.is_device && !f.is_host && !f.in_class &&
                          !f.has_defaults && !variadic && f.define == no_token &&
                          f.branches.empty() && f.name_token != no_token && !f.is_open;
        if (host) {
            hosts_[f.name].push_back({f.parameter_count, f.is_constexpr});
        } else {
            others_.insert(f.name);
        }
    }
    for (const cuda_launch& l : program_.launches) launched_.insert(l.name);
    std::unordered_set<std::string> elsewhere, of_host;
    for (const cuda_function& f : program_.functions) {
        const bool plain = f.define == no_token && f.branches.empty() && !f.is_open &&
                           !f.is_template && !f.is_lambda && !f.body.empty() &&
                           f.name_token != no_token && !has_macro(f.head);
        const bool is_member = plain && f.in_class && !head_has(f, "operator");
        if (is_member && !f.is_global && !f.is_device && !f.is_host) {
            host_members_.insert(f.name);
        } else {
            elsewhere.insert(f.name);
        }
        if (plain && !f.in_class && f.is_device && !f.is_host && !f.is_global &&
            f.scope == no_token) {
            device_only_.insert(f.name);
        } else {
            of_host.insert(f.name);
        }
    }
    for (const std::string& name : elsewhere) host_members_.erase(name);
    for (const std::string& name : of_host) device_only_.erase(name);
}

// Words that are declared as something else than a function, as far as the words around tell; too
// many rather than too few.
void refusals::collect_variables() {
    for (std::uint32_t i = 1; i + 1 < code_.size(); ++i) {
        if (!code_.is(i, word)) continue;
        const std::uint8_t before = code_.tokens[i - 1].kind;
        const bool declares = (before == word && !is_expression_keyword(code_.raw(i - 1))) ||
                              before == '*' || before == '&' || before == greater;
        if (!declares) continue;
        const std::uint8_t after = code_.tokens[i + 1].kind;
        if (after == '=' || after == ';' || after == ',' || after == ')' || after == '[' ||
            after == '{' || after == ':') {
            ++variables_[code_.spelling(i)];
        }
    }
    for (const host_variable& v : program_.variables) {
        const std::string name = code_.spelling(v.name);
        const auto declared = variables_.find(name);
        // A constant that is no array may be used for its value.
        bool is_plain = !v.is_const || v.is_array;
        for (std::uint32_t i = v.first; i <= v.name; ++i) {
            if (code_.is(i, word) && macros_.contains(code_.spelling(i))) is_plain = false;
        }
        if (!is_plain) continue;
        if (declared != variables_.end() && declared->second == 1 && !others_.contains(name) &&
            !hosts_.contains(name)) {
            host_variables_.insert(name);
        }
    }
}

// Whether nvcc compiles it for the device in any case.
bool refusals::is_root(const cuda_function& f) const {
    if (f.body.empty() || f.define != no_token || f.is_open) return false;
    if (f.is_global && launched_.contains(f.name)) return true;
    if (f.is_template || f.in_class || f.scope != no_token) return false;
    if (head_has(f, "static") || head_has(f, "inline") || head_has(f, "__forceinline__") ||
        head_has(f, "__inline__")) {
        return false;
    }
    // A macro in the head may say so too.
    for (std::uint32_t i = f.head.first; i < f.head.end; ++i) {
        if (code_.is(i, word) && macros_.contains(code_.spelling(i))) return false;
    }
    return f.is_device_code() && !f.is_lambda;
}

void refusals::reach() {
    const auto& functions = program_.functions;
    std::unordered_map<std::string, std::vector<std::uint32_t>> by_name;
    std::vector<std::uint32_t> todo;
    reached_.assign(functions.size(), false);
    for (std::uint32_t i = 0; i < functions.size(); ++i) {
        const cuda_function& f = functions[i];
        if (!f.is_device_code() || f.body.empty() || f.define != no_token) continue;
        if (is_root(f)) {
            reached_[i] = true;
            todo.push_back(i);
        } else if (!f.is_template && !f.in_class) {
            by_name[f.name].push_back(i);
        }
    }
    while (!todo.empty()) {
        const cuda_function& f = functions[todo.back()];
        todo.pop_back();
        for (std::uint32_t i = f.body.first; i < f.body.end && !by_name.empty(); ++i) {
            if (!code_.is(i, word) || !code_.is(i + 1, '(')) continue;
            const auto called = by_name.find(code_.spelling(i));
            if (called == by_name.end()) continue;
            for (const std::uint32_t g : called->second) {
                reached_[g] = true;
                todo.push_back(g);
            }
            by_name.erase(called);
        }
    }
}

void refusals::look_at_heads() {
    for (const cuda_function& f : program_.functions) {
        if (!f.is_global || f.define != no_token || f.name_token == no_token) continue;
        if (f.returns_value && !macros_.contains(code_.spelling(f.name_token - 1))) {
            refuse(f.name_token, "a __global__ function must have a void return type");
        }
        if (f.in_class && !code_.is(f.name_token - 1, scope) && !head_has(f, "friend")) {
            refuse(f.name_token,
                   "A __global__ function or function template cannot be a member function");
        }
    }
}

void refusals::look_at_shared() {
    for (const shared_declaration& d : program_.shared) {
        const std::uint32_t f = program_.function_of[d.marker];
        if (d.define != no_token || f == no_token || !reached_[f]) continue;
        for (const auto& each : d.declarators) {
            if (each.is_initialised) {
                refuse(each.name.first, "initializer not allowed for __shared__ variable");
            }
        }
    }
}

// `std` or `numeric_limits` at i; the token to go on at.
std::uint32_t refusals::look_at_std(const cuda_function& f, std::uint32_t i) {
    std::uint32_t name = i;
    if (code_.is_word(i, "std")) {
        if (!code_.is(i + 1, scope) || !code_.is(i + 2, word)) return i;
        name = i + 2;
    }
    std::uint32_t after = name + 1;
    if (code_.is(after, less) && code_.tokens[after].count == 1) {
        const std::uint32_t close = closing_angle(code_, after, f.body.end);
        if (close == no_token) return name;
        after = close + 1;
    }
    const std::string spelled = code_.spelling(name);
    if (spelled == "numeric_limits") {
        if (code_.is(after, scope) && code_.is(after + 1, word) && code_.is(after + 2, '(') &&
            is_limit(code_.spelling(after + 1))) {
            refuse_call(f, after + 1, code_.spelling(after + 1), true);
        }
        return name;
    }
    if (name == i) return i;
    const bool called = code_.is(after, '(');
    switch (name_in_std(spelled)) {
        case host_name::constexpr_function:
            if (called) refuse_call(f, name, spelled, true);
            break;
        case host_name::function:
            if (called) refuse_call(f, name, "std::" + spelled, false);
            break;
        case host_name::type:
            // An object of it.
            if (called || code_.is(after, word) || code_.is(after, '{')) {
                refuse_call(f, name, "std::" + spelled, false);
            }
            break;
        case host_name::object: refuse_call(f, name, "std::" + spelled, false); break;
        case host_name::none: break;
    }
    return name;
}

void refusals::look_at_call(const cuda_function& f, std::uint32_t i) {
    const token& before = code_.tokens[i - 1];
    if (before.kind == '.' || before.kind == arrow || before.kind == paste || before.kind == '#' ||
        before.kind == '~') {
        return;
    }
    if (before.kind == word && !is_expression_keyword(code_.raw(i - 1))) return;
    const std::uint32_t close = code_.tokens[i + 1].link;
    if (close == no_token) return;
    const std::string name = code_.spelling(i);
    if (is_ambiguous(name)) return;
    const auto host = hosts_.find(name);
    if (host == hosts_.end()) {
        if (before.kind != scope && is_host_only_function(name)) refuse_call(f, i, name, false);
        return;
    }
    if (is_device_library_name(name)) return;
    const std::size_t arguments = split_at_commas(code_, {i + 1, close + 1}).size();
    const auto called = std::ranges::find(host->second, arguments, &host_function::parameters);
    if (called != host->second.end()) refuse_call(f, i, name, called->is_constexpr);
}

// `a.name(`, where the program has that member for the host alone, and no library has one.
void refusals::look_at_member(const cuda_function& f, std::uint32_t i) {
    constexpr std::string_view known[] = {
        "size",      "sync",     "thread_rank", "num_threads", "shfl", "shfl_up",
        "shfl_down", "shfl_xor", "begin",       "end",         "data", "real",
        "imag",      "first",    "second",      "get",         "load", "store",
        "wait",      "arrive",   "length",      "any",         "all",  "ballot"};
    if (!code_.is(i - 1, '.') && !code_.is(i - 1, arrow)) return;
    const std::string name = code_.spelling(i);
    if (!host_members_.contains(name) || macros_.contains(name) || variables_.contains(name) ||
        std::ranges::find(known, std::string_view(name)) != std::end(known)) {
        return;
    }
    refuse_call(f, i, name, false);
}

// A host variable's name at i; `local` are those that the function declares for itself.
void refusals::look_at_variable(std::uint32_t i, std::unordered_set<std::string>& local) {
    if (host_variables_.empty()) return;
    const std::uint8_t before = code_.tokens[i - 1].kind;
    if (before == '.' || before == arrow || before == scope) return;
    std::string name = code_.spelling(i);
    if (!host_variables_.contains(name) || local.contains(name)) return;
    if (before == ',' || before == '[') {
        local.insert(std::move(name));  // int a, name;
        return;
    }
    refuse(i, "identifier \"" + name + "\" is undefined in device code");
}

// `float a[n]`, where n is a parameter of the function.
void refusals::look_at_array(const cuda_function& f, std::uint32_t i) {
    if (!code_.is(i + 1, word) || !code_.is(i + 2, '[') || !code_.is(i + 3, word) ||
        !code_.is(i + 4, ']') || !(code_.is(i + 5, ';') || code_.is(i + 5, '='))) {
        return;
    }
    const std::string_view type = code_.raw(i);
    if (type != "float" && type != "double" && type != "int" && type != "unsigned") return;
    const std::string bound = code_.spelling(i + 3);
    if (macros_.contains(bound)) return;
    const auto declared = variables_.find(bound);
    for (std::uint32_t j = f.body.first; j < i; ++j) {  // declared again, as a constant
        if (code_.is_word(j, bound) && code_.is(j - 1, word) && !code_.is(j + 1, ']')) return;
    }
    for (const token_range p : split_at_commas(code_, f.parameters)) {
        const bool parameter = p.end > p.first + 1 && code_.is_word(p.end - 1, bound);
        if (parameter && declared != variables_.end()) {
            refuse(i + 3, "expression must have a constant value");
        }
    }
}

void refusals::look_at_device(std::uint32_t function) {
    const cuda_function& f = program_.functions[function];
    for (std::uint32_t i = f.body.first; i < f.body.end; ++i) {
        // What is discarded is not compiled.
        if (code_.is_word(i, "if") && code_.is_word(i + 1, "constexpr")) return;
    }
    const auto depth = program_.conditional_depth[f.body.first];
    if (f.is_global) {  // a copy of an argument is made and ended
        for (const token_range p : split_at_commas(code_, f.parameters)) {
            for (std::uint32_t i = p.first; i < p.end; ++i) {
                if (code_.is_word(i, "std")) i = look_at_std(f, i);
            }
        }
    }
    std::unordered_set<std::string> local;
    for (std::uint32_t i = f.body.first; i < f.body.end; ++i) {
        if (code_.is(i, define)) {
            i = code_.tokens[i].link;
            continue;
        }
        if (!code_.is(i, word) || program_.conditional_depth[i] != depth) continue;
        const std::string_view w = code_.raw(i);
        if (w == "sizeof" || w == "decltype" || w == "noexcept" || w == "alignof") {
            if (code_.is(i + 1, '(') && code_.tokens[i + 1].link != no_token) {
                i = code_.tokens[i + 1].link;
            }
        } else if (w == "throw" || (w == "try" && code_.is(i + 1, '{'))) {
            refuse(i, "device code does not support exception handling");
        } else if (w == "std" || w == "numeric_limits") {
            i = look_at_std(f, i);
        } else if (code_.is(i + 1, '(')) {
            look_at_call(f, i);
            look_at_member(f, i);
        } else {
            look_at_variable(i, local);
            look_at_array(f, i);
        }
        if (first_ != no_token && first_ <= i) return;
    }
}

// A kernel called as a function: `k(x);`.
void refusals::look_at_host() {
    for (std::uint32_t i = 1; i + 1 < code_.size(); ++i) {
        if (!code_.is(i, word) || !code_.is(i + 1, '(')) continue;
        const std::uint8_t before = code_.tokens[i - 1].kind;
        if (before != ';' && before != '{' && before != '}') continue;
        const std::uint32_t close = code_.tokens[i + 1].link;
        if (close == no_token || !code_.is(close + 1, ';')) continue;
        const std::uint32_t f = program_.function_of[i];
        if (f == no_token || i <= program_.functions[f].body.first) continue;
        if (program_.functions[f].is_template || program_.functions[f].define != no_token) continue;
        const std::string name = code_.spelling(i);
        const named_kernel* kernel = kernels_.find(name);
        if (kernel == nullptr || kernel->is_template || variables_.contains(name) ||
            macros_.contains(name) || hosts_.contains(name)) {
            continue;
        }
        const bool only_kernels = std::ranges::none_of(
            program_.functions,
            [&](const cuda_function& other) { return !other.is_global && other.name == name; });
        if (only_kernels) refuse(i, "a __global__ function call must be configured");
        return;
    }
}

// A function of the device called in a function of the host.
void refusals::look_at_host_calls() {
    if (device_only_.empty()) return;
    for (std::uint32_t i = 1; i + 1 < code_.size(); ++i) {
        if (code_.is(i, define) && code_.tokens[i].link != no_token) i = code_.tokens[i].link;
        if (!code_.is(i, word) || !code_.is(i + 1, '(')) continue;
        const std::uint8_t before = code_.tokens[i - 1].kind;
        if (before == '.' || before == arrow || before == scope || before == '&' || before == '*' ||
            (before == word && !is_expression_keyword(code_.raw(i - 1)))) {
            continue;
        }
        const std::uint32_t caller = program_.function_of[i];
        if (caller == no_token) continue;
        const cuda_function& f = program_.functions[caller];
        if (f.is_global || f.is_device || f.is_template || f.in_class || f.is_lambda ||
            f.define != no_token || !f.branches.empty() || f.is_constexpr || f.is_open ||
            i <= f.body.first || has_macro(f.head)) {
            continue;
        }
        const auto depth = program_.conditional_depth[f.body.first];
        const std::string name = code_.spelling(i);
        if (!device_only_.contains(name) || is_device_library_name(name) ||
            macros_.contains(name) || variables_.contains(name) ||
            program_.conditional_depth[i] != depth) {
            continue;
        }
        refuse(i, "calling a __device__ function(\"" + name + "\") from a __host__ function(\"" +
                      f.name + "\") is not allowed");
        return;
    }
}

// A lambda of the host as an argument of a launch: its type may not be a kernel's.
void refusals::look_at_lambdas() {
    for (const cuda_launch& launch : program_.launches) {
        if (launch.is_call || launch.define != no_token || launch.arguments.empty()) continue;
        for (const token_range a : split_at_commas(code_, launch.arguments)) {
            if (a.empty() || !code_.is(a.first, '[')) continue;
            const std::uint32_t close = code_.tokens[a.first].link;
            if (close == no_token) continue;
            std::uint32_t i = close + 1;
            while (i < a.end && code_.is(i, word)) ++i;
            if (i == close + 1 && code_.is(i, '(')) {
                refuse(a.first,
                       "The closure type for a lambda cannot be used in the template argument type "
                       "of a __global__ function template instantiation, unless the lambda is "
                       "defined within a __device__ or __global__ function, or the lambda is an "
                       "'extended lambda' and the flag --extended-lambda is specified");
            }
        }
    }
}

std::optional<translation_error> refusals::find() {
    collect_functions();
    collect_variables();
    reach();
    look_at_heads();
    look_at_shared();
    for (std::uint32_t i = 0; i < reached_.size(); ++i) {
        if (reached_[i] && program_.functions[i].branches.empty()) look_at_device(i);
    }
    look_at_host();
    look_at_host_calls();
    look_at_lambdas();
    if (first_ == no_token) return std::nullopt;
    return translation_error{program_.line_of(first_), message_};
}

}  // namespace

std::optional<translation_error> find_refusal(const cuda_program& program,
                                              const kernel_table& kernels) {
    return refusals(program, kernels).find();
}

}  // namespace cuset
