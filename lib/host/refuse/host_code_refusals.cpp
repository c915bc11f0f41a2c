#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "host_names.h"
#include "refusal_search.h"

namespace cuset {

using namespace syntax;

namespace {

class host_code {
public:
    explicit host_code(refusal_search& search)
        : search_(search), program_(search.program), code_(program_.code), names_(search.names) {}

    void look_at_host();
    void look_at_host_calls();
    void look_at_lambdas();

private:
    bool is_closure(token_range argument) const;
    bool takes_any_type(const cuda_launch& launch, std::size_t parameter);

    refusal_search& search_;
    const cuda_program& program_;
    const token_stream& code_;
    const names_in_program& names_;
    std::unordered_map<std::uint32_t, std::vector<bool>> any_types_;  // by function and parameter
};

// Refuses a kernel called as a function: `k(x);`.
void host_code::look_at_host() {
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
        const named_kernel* kernel = search_.kernels.find(name);
        if (kernel == nullptr || kernel->is_template || names_.variables.contains(name) ||
            names_.macros.contains(name) || names_.hosts.contains(name)) {
            continue;
        }
        const bool only_kernels = std::ranges::none_of(
            program_.functions,
            [&](const cuda_function& other) { return !other.is_global && other.name == name; });
        if (only_kernels) search_.refuse(i, "a __global__ function call must be configured");
        return;
    }
}

// Refuses calls of device functions in host functions.
void host_code::look_at_host_calls() {
    if (names_.device_only.empty()) return;
    std::uint32_t looked_at = no_token;  // the function
    bool has_macro = false;              // in its head
    for (std::uint32_t i = 1; i + 1 < code_.size(); ++i) {
        if (code_.is(i, define)) i = code_.tokens[i].link;
        if (!code_.is(i, word) || !code_.is(i + 1, '(')) continue;
        if (is_member_or_qualified(code_, i) || code_.is(i - 1, '&') || code_.is(i - 1, '*') ||
            (code_.is(i - 1, word) && !is_expression_keyword(code_.raw(i - 1)))) {
            continue;
        }
        const std::uint32_t caller = program_.function_of[i];
        if (caller == no_token) continue;
        const cuda_function& f = program_.functions[caller];
        if (f.is_global || f.is_device || f.is_template || f.in_class || f.is_lambda ||
            f.define != no_token || !f.branches.empty() || f.is_constexpr || f.is_open ||
            i <= f.body.first) {
            continue;
        }
        const auto depth = program_.conditional_depth[f.body.first];
        const std::string name = code_.spelling(i);
        if (!names_.device_only.contains(name) || is_device_library_name(name) ||
            names_.macros.contains(name) || names_.variables.contains(name) ||
            program_.conditional_depth[i] != depth) {
            continue;
        }
        if (std::exchange(looked_at, caller) != caller)
            has_macro = names_.has_macro(program_, f.head);
        if (has_macro) continue;
        search_.refuse(i, "calling a __device__ function(\"" + name +
                              "\") from a __host__ function(\"" + f.name + "\") is not allowed");
        return;
    }
}

// Whether it is a lambda without qualifiers, or a variable that holds one.
bool host_code::is_closure(token_range a) const {
    if (a.empty()) return false;
    if (a.end == a.first + 1 && code_.is(a.first, word)) {
        const std::pair variable{program_.function_of[a.first], code_.spelling(a.first)};
        return names_.closures.contains(variable) && names_.declared.at(variable) == 1 &&
               !names_.macros.contains(variable.second);
    }
    if (!code_.is(a.first, '[')) return false;
    const std::uint32_t close = code_.closer_of(a.first);
    if (close == no_token || !code_.is(close + 1, '(')) return false;
    // A lambda that is called at once is no closure here.
    return code_.closer_of(close + 1) != no_token && code_.is(a.end - 1, '}');
}

// Whether the kernel's template deduces the parameter's type: `template <class F> __global__ void
// k(F f)`.
bool host_code::takes_any_type(const cuda_launch& launch, std::size_t parameter) {
    const named_kernel* kernel = search_.kernels.find(launch.name);
    if (kernel == nullptr || !kernel->is_template || kernel->is_overloaded) return false;
    const auto [at, is_new] = any_types_.try_emplace(kernel->functions.front());
    std::vector<bool>& any_types = at->second;
    if (is_new) {
        const cuda_function& f = program_.functions[at->first];
        std::unordered_set<std::string> types;
        for (std::uint32_t i = f.head.first; i + 1 < f.head.end; ++i) {
            if (code_.is(i + 1, word) && code_.is_any_word(i, {"class", "typename"}))
                types.insert(code_.spelling(i + 1));
        }
        for (const token_range p : split_at_commas(code_, f.parameters))
            any_types.push_back(p.end >= p.first + 2 && code_.is(p.end - 1, word) &&
                                code_.is(p.end - 2, word) &&
                                types.contains(code_.spelling(p.end - 2)));
    }
    return parameter < any_types.size() && any_types[parameter];
}

// Refuses a host lambda as a launch's argument: a kernel cannot have its type.
void host_code::look_at_lambdas() {
    for (const cuda_launch& launch : program_.launches) {
        if (launch.is_call || launch.define != no_token || launch.arguments.empty()) continue;
        const auto arguments = split_at_commas(code_, launch.arguments);
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (!is_closure(arguments[i]) || !takes_any_type(launch, i)) continue;
            search_.refuse(
                arguments[i].first,
                "The closure type for a lambda cannot be used in the template argument "
                "type of a __global__ function template instantiation, unless the lambda "
                "is defined within a __device__ or __global__ function, or the lambda is "
                "an 'extended lambda' and the flag --extended-lambda is specified");
        }
    }
}

}  // namespace

void look_at_host_code(refusal_search& search) {
    host_code looking(search);
    looking.look_at_host();
    looking.look_at_host_calls();
    looking.look_at_lambdas();
}

}  // namespace cuset
