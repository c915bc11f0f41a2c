#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "host_names.h"
#include "refusal_search.h"

namespace cuset {

using namespace syntax;

void refusal_search::refuse(std::uint32_t token, std::string why) {
    if (first != no_token && first <= token) return;
    first = token;
    message = std::move(why);
}

void refusal_search::refuse_call(const cuda_function& caller, std::uint32_t token,
                                 const std::string& name, bool is_constexpr) {
    if (is_constexpr && dialect.relaxed_constexpr) return;
    const char* const kind = caller.is_global ? "__global__" : "__device__";
    std::string why = std::string("calling a ") + (is_constexpr ? "constexpr " : "") +
                      "__host__ function(\"" + name + "\") from a " + kind + " function(\"" +
                      (caller.is_lambda ? "lambda" : caller.name) + "\") is not allowed";
    if (is_constexpr) {
        why += ". The experimental flag '--expt-relaxed-constexpr' can be used to allow this.";
    }
    refuse(token, std::move(why));
}

namespace {

void look_at_heads(refusal_search& search) {
    const cuda_program& program = search.program;
    const token_stream& code = program.code;
    for (const cuda_function& f : program.functions) {
        if (f.is_lambda && !search.dialect.extended_lambda &&
            program.macro_around(f.head.first) == nullptr &&
            program.conditional_depth[f.head.first] == 0) {
            search.refuse(f.head.first,
                          "__host__ or __device__ annotation on lambda requires --extended-lambda "
                          "nvcc flag");
        }
        if (!f.is_global || f.define != no_token || f.name_token == no_token) continue;
        if (f.returns_value && !search.names.macros.contains(code.spelling(f.name_token - 1))) {
            search.refuse(f.name_token, "a __global__ function must have a void return type");
        }
        if (f.in_class && !code.is(f.name_token - 1, scope) && !code.has_word(f.head, {"friend"})) {
            search.refuse(f.name_token,
                          "A __global__ function or function template cannot be a member function");
        }
    }
}

void look_at_shared(refusal_search& search, const std::vector<bool>& reached) {
    for (const shared_declaration& d : search.program.shared) {
        const std::uint32_t f = search.program.function_of[d.marker];
        if (d.define != no_token || f == no_token || !reached[f]) continue;
        for (const auto& each : d.declarators) {
            if (!each.initialiser.empty())
                search.refuse(each.name.first, "initializer not allowed for __shared__ variable");
        }
    }
}

// Refuses `__device__ float x = f();` outside functions: a device cannot compute a host value.
void look_at_initializers(refusal_search& search) {
    constexpr std::uint32_t longest = 4096;  // tokens of a declaration
    const cuda_program& program = search.program;
    const token_stream& code = program.code;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (code.is(i, define)) i = code.tokens[i].link;
        if (!code.is_any_word(i, {"__device__", "__constant__"})) continue;
        if (program.function_of[i] != no_token || program.conditional_depth[i] != 0) continue;
        const std::string marker = code.spelling(i);
        bool is_value = false;
        for (const std::uint32_t end = std::min(code.size(), i + longest); ++i < end;) {
            const std::uint8_t kind = code.tokens[i].kind;
            if (kind == ';' || program.function_of[i] != no_token) break;
            if (kind == '=') is_value = true;
            if (!is_value && (kind == '(' || kind == '{' || kind == '}')) break;
            if (!is_value || !code.is(i, word) || !code.is(i + 1, '(')) continue;
            const std::string name = code.spelling(i);
            if (search.names.is_ambiguous(name)) continue;
            const auto host = search.names.hosts.find(name);
            const bool is_host = host != search.names.hosts.end() &&
                                 std::ranges::none_of(host->second, &host_function::is_constexpr);
            if (is_host || (host == search.names.hosts.end() && is_math_function(name))) {
                search.refuse(
                    i, "dynamic initialization is not supported for a " + marker + " variable");
                return;
            }
        }
    }
}

}  // namespace

std::optional<translation_error> find_refusal(const cuda_program& program,
                                              const kernel_table& kernels,
                                              const nvcc_dialect& dialect) {
    refusal_search search{program, kernels, dialect, names_in_program(program), no_token, {}};
    const std::vector<bool> reached = reached_functions(search);
    look_at_heads(search);
    look_at_shared(search, reached);
    look_at_initializers(search);
    look_at_device_code(search, reached);
    look_at_array_bounds(search);
    look_at_removed_names(search);
    look_at_host_code(search);
    if (search.first == no_token) return std::nullopt;
    return translation_error{program.line_of(search.first), search.message};
}

}  // namespace cuset
