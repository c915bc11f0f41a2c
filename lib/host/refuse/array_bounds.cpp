// Local arrays of the device whose bounds are no constants, such as `float a[n]` and
// `int a[blockDim.x]`: g++ has arrays of variable length, and nvcc has them on the host alone.
#include <cstdint>
#include <string>
#include <unordered_map>

#include "refusal_search.h"

namespace cuset {

using namespace syntax;

namespace {

bool is_integer_type(const token_stream& code, std::uint32_t i) {
    return code.is_any_word(i, {"int", "unsigned", "signed", "long", "short", "char", "size_t",
                                "uint", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t",
                                "uint16_t", "uint32_t", "uint64_t", "auto"});
}
bool is_element_type(const token_stream& code, std::uint32_t i) {
    return is_integer_type(code, i) ||
           code.is_any_word(i, {"float", "double", "bool", "half", "__half", "half2", "__half2",
                                "__nv_bfloat16", "float2", "float3", "float4", "double2", "int2",
                                "int3", "int4", "uint2", "uint4", "uchar4", "char4"});
}

class function_reader {
public:
    function_reader(refusal_search& search, const cuda_function& f)
        : search_(search), code_(search.program.code), f_(f) {}
    void run();

private:
    /// What is known of a name that the function declares: only what it declares once is judged.
    enum class kind : unsigned char { constant, at_run_time, unclear };

    void read_parameters();
    void read_variables(std::uint32_t type);
    void note(std::uint32_t name, kind what);
    void look_at_array(std::uint32_t type);
    bool is_at_run_time(token_range range) const;
    std::uint32_t initialiser_end(std::uint32_t i) const;

    refusal_search& search_;
    const token_stream& code_;
    const cuda_function& f_;
    std::unordered_map<std::string, kind> names_;
};

void function_reader::note(std::uint32_t name, kind what) {
    const auto [place, is_new] = names_.emplace(code_.spelling(name), what);
    if (!is_new) place->second = kind::unclear;
}

void function_reader::read_parameters() {
    for (const token_range p : split_at_commas(code_, f_.parameters)) {
        if (p.end < p.first + 2 || !code_.is(p.end - 1, word)) continue;
        bool is_integer = true;
        for (std::uint32_t i = p.first; i + 1 < p.end; ++i)
            is_integer = is_integer && (is_integer_type(code_, i) || code_.is_word(i, "const"));
        note(p.end - 1, is_integer ? kind::at_run_time : kind::unclear);
    }
}

// Whether the expression has a value that no compiler knows.
bool function_reader::is_at_run_time(token_range range) const {
    bool found = false;
    for (std::uint32_t i = range.first; i < range.end; ++i) {
        if (!code_.is(i, word)) continue;
        const std::string name = code_.spelling(i);
        if (search_.names.macros.contains(name)) return false;
        if (code_.is_any_word(i, {"sizeof", "decltype", "alignof"}) && code_.is(i + 1, '(')) {
            i = code_.group_end(i + 1);
            continue;
        }
        if (is_member_or_qualified(code_, i) || code_.is(i + 1, scope) || code_.is(i + 1, '('))
            continue;
        const auto known = names_.find(name);
        if (known != names_.end()) {
            if (known->second == kind::unclear) return false;
            found = found || known->second == kind::at_run_time;
        } else if (name == "warpSize" ||
                   (code_.is(i + 1, '.') && (name == "threadIdx" || name == "blockIdx" ||
                                             name == "blockDim" || name == "gridDim"))) {
            found = true;
        }
    }
    return found;
}

// The token of the `,` or `;` behind it.
std::uint32_t function_reader::initialiser_end(std::uint32_t i) const {
    while (i < f_.body.end && !code_.is(i, ',') && !code_.is(i, ';')) i = code_.group_end(i) + 1;
    return i;
}

// The declaration of variables whose last word of the type is at `type`.
void function_reader::read_variables(std::uint32_t type) {
    bool is_const = false, is_constexpr = false;
    for (std::uint32_t i = type + 1; i-- > f_.body.first && code_.is(i, word);) {
        is_const = is_const || code_.is_word(i, "const");
        is_constexpr = is_constexpr || code_.is_word(i, "constexpr");
    }
    for (std::uint32_t name = type + 1; code_.is(name, word);) {
        std::uint32_t end = name + 1;
        kind what = is_constexpr ? kind::constant : is_const ? kind::unclear : kind::at_run_time;
        if (code_.is(end, '=')) {
            end = initialiser_end(end + 1);
            if (is_const && !is_constexpr)
                what = is_at_run_time({name + 2, end}) ? kind::at_run_time : kind::constant;
        } else if (!code_.is(end, ',') && !code_.is(end, ';')) {
            return note(name, kind::unclear);
        }
        note(name, what);
        if (!code_.is(end, ',')) return;
        name = end + 1;
    }
}

void function_reader::look_at_array(std::uint32_t type) {
    for (std::uint32_t i = type + 2; code_.is(i, '['); i = code_.group_end(i) + 1) {
        if (code_.tokens[i].link == no_token) return;
        if (is_at_run_time({i + 1, code_.tokens[i].link}))
            return search_.refuse(i + 1, "expression must have a constant value");
    }
}

void function_reader::run() {
    const auto& depth = search_.program.conditional_depth;
    read_parameters();
    for (std::uint32_t i = f_.body.first; i + 2 < f_.body.end; ++i) {
        if (code_.is(i, define)) {
            i = code_.tokens[i].link;
        } else if (code_.is(i, word) && code_.is(i + 1, word) && is_element_type(code_, i) &&
                   !is_element_type(code_, i + 1) && !code_.is_word(i + 1, "const")) {
            if (code_.is(i + 2, '[')) {
                if (depth[i] == depth[f_.body.first]) look_at_array(i);
                note(i + 1, kind::unclear);
            } else if (depth[i] == depth[f_.body.first] && is_integer_type(code_, i)) {
                read_variables(i);
            } else {
                note(i + 1, kind::unclear);
            }
        }
    }
}

}  // namespace

void look_at_array_bounds(refusal_search& search) {
    for (const cuda_function& f : search.program.functions) {
        if (!(f.is_global || f.is_device) || f.body.empty() || f.define != no_token ||
            !f.branches.empty() || f.is_open)
            continue;
        // nvcc reads a template where it is used.
        if (f.is_template && !(f.is_global && search.names.launched.contains(f.name))) continue;
        if (f.in_class) continue;
        function_reader(search, f).run();
    }
}

}  // namespace cuset
