#include "refuse/only_of_clang.h"

#include <cstdint>
#include <limits>
#include <unordered_map>

#include "cuset/syntax/cuda_program.h"

namespace cuset {

using namespace syntax;

namespace {

/// `__attribute__((ext_vector_type(4)))`: its name, if g++ ignores what it means.
std::string_view attribute_of_clang(const token_stream& code, std::uint32_t i) {
    if (!code.is_any_word(i, {"__attribute__", "__attribute"}) || !code.is(i + 1, '(')) return {};
    const std::uint32_t close = code.closer_of(i + 1);
    if (close == no_token) return {};
    for (std::uint32_t at = i + 3; at < close; ++at) {
        if (code.is_any_word(at, {"ext_vector_type", "__ext_vector_type__", "address_space",
                                  "shared", "__shared__", "device", "__device__", "global",
                                  "__global__", "constant", "__constant__", "host", "__host__"}))
            return code.raw(at);
        at = code.group_end(at, close);
    }
    return {};
}

/// The parameters as they are written, without blanks.
std::string signature_of(const cuda_program& program, const cuda_function& f) {
    std::string text = std::to_string(f.scope) + ' ' + f.name;
    for (std::uint32_t i = f.parameters.first; i < f.parameters.end; ++i)
        text += ' ' + program.code.spelling(i);
    return text;
}

/// Whether no more than one of them is live: they are in two branches of one conditional.
bool exclude_each_other(const cuda_function& a, const cuda_function& b) {
    for (const branch_of_conditional& one : a.branches)
        for (const branch_of_conditional& other : b.branches)
            if (one.conditional == other.conditional && one.branch != other.branch) return true;
    return false;
}

/// A function that the program defines for the host and, with the same parameters, for the device.
std::string overload_by_side(const cuda_program& program) {
    std::unordered_map<std::string, const cuda_function*> of_host, of_device;
    for (const cuda_function& f : program.functions) {
        if (f.is_global || f.is_lambda || f.define != no_token || f.name_token == no_token ||
            f.name == "operator" || program.code.is_word(f.name_token - 1, "operator"))
            continue;
        if (f.is_device && f.is_host) continue;
        std::string signature = signature_of(program, f);
        const auto& others = f.is_device ? of_host : of_device;
        if (const auto twin = others.find(signature);
            twin != others.end() && !f.in_class && !exclude_each_other(*twin->second, f))
            return f.name + "() for the host and the device";
        (f.is_device ? of_device : of_host).emplace(std::move(signature), &f);
    }
    return {};
}

/// A texture or surface reference, if the program has no meaning of its own for the name.
std::string reference_of_textures(const token_stream& code) {
    for (const char* name : {"texture", "surface"}) {
        std::uint32_t use = no_token;
        bool is_own = false;
        for (std::uint32_t i = 0; i + 1 < code.size(); ++i) {
            if (!code.is_word(i, name)) continue;
            const bool is_declared =
                i > 0 && (code.is_any_word(i - 1, {"struct", "class", "using", "enum", "union"}) ||
                          code.is(i - 1, scope));
            is_own = is_own || is_declared;
            if (code.is(i + 1, less) && !is_member_or_qualified(code, i)) use = i;
        }
        if (use != no_token && !is_own) return std::string(name) + " references";
    }
    return {};
}

}  // namespace

std::string only_of_clang(std::string_view text) {
    if (text.size() >= std::numeric_limits<std::uint32_t>::max()) return {};
    const cuda_program program = read_cuda_program(text);
    for (std::uint32_t i = 0; i < program.code.size(); ++i)
        if (const std::string_view name = attribute_of_clang(program.code, i); !name.empty())
            return "the attribute " + std::string(name);
    if (std::string name = reference_of_textures(program.code); !name.empty()) return name;
    return overload_by_side(program);
}

}  // namespace cuset
