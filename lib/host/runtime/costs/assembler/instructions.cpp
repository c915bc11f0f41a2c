#include "instructions.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "text.h"

namespace cuset_host::costs {

namespace {

using std::string_view;

template <std::size_t N>
bool is_among(string_view text, const string_view (&words)[N]) {
    return std::find(std::begin(words), std::end(words), text) != std::end(words);
}

/// Of "addss", "vfmadd231pd": how many values it computes, and whether they are doubles.
struct values {
    unsigned count = 0;
    bool are_doubles = false;
};
values values_of(string_view mnemonic, string_view operands) {
    if (ends(mnemonic, "ss")) return {1, false};
    if (ends(mnemonic, "sd")) return {1, true};
    const unsigned bytes = operands.find("%zmm") != string_view::npos   ? 64
                           : operands.find("%ymm") != string_view::npos ? 32
                                                                        : 16;
    if (ends(mnemonic, "ps")) return {bytes / 4, false};
    if (ends(mnemonic, "pd")) return {bytes / 8, true};
    return {};
}

/// `name`: without the v of AVX.
counted_operations floating_point(string_view name, string_view operands) {
    const values made = values_of(name, operands);
    if (made.count == 0) return {};
    const string_view stem = name.substr(0, name.size() - 2);
    const auto counted = [&](unsigned kind) -> counted_operations {
        return {kind + (made.are_doubles ? double_add - float_add : 0U), made.count};
    };
    if (stem == "add" || stem == "sub" || stem == "mul" || stem == "addsub" || stem == "hadd" ||
        stem == "hsub")
        return counted(float_add);
    if (begins(stem, "fmadd") || begins(stem, "fmsub") || begins(stem, "fnmadd") ||
        begins(stem, "fnmsub"))
        return counted(float_fma);
    if (stem == "div") return counted(float_divide);
    if (stem == "sqrt") return counted(float_root);
    if (stem == "min" || stem == "max" || stem == "comi" || stem == "ucomi" || begins(stem, "cmp"))
        return {comparison, made.count};
    if (stem == "round") return {conversion, made.count};
    return {};
}

constexpr string_view integer_stems[] = {
    "add",  "sub",  "imul", "mul",  "neg",    "not",    "and",   "or",   "xor",   "shl",
    "shr",  "sar",  "sal",  "rol",  "ror",    "inc",    "dec",   "lea",  "adc",   "sbb",
    "bsf",  "bsr",  "bt",   "btr",  "bts",    "btc",    "shld",  "shrd", "bswap", "rcl",
    "rcr",  "bls",  "rorx", "shlx", "shrx",   "sarx",   "mulx",  "andn", "bextr", "bzhi",
    "pdep", "pext", "blsr", "blsi", "blsmsk", "popcnt", "lzcnt", "tzcnt"};

/// "addl" is add, "addq" too; what has no such end stays.
string_view without_width(string_view mnemonic) {
    if (mnemonic.size() < 3) return mnemonic;
    const char last = mnemonic.back();
    return last == 'b' || last == 'w' || last == 'l' || last == 'q'
               ? mnemonic.substr(0, mnemonic.size() - 1)
               : mnemonic;
}

bool is_integer(string_view mnemonic) {
    return is_among(mnemonic, integer_stems) || is_among(without_width(mnemonic), integer_stems);
}

/// "%eax, %eax": both operands are one register.
bool is_one_register(string_view operands) {
    const auto comma = operands.find(", ");
    return comma != string_view::npos && operands.substr(0, comma) == operands.substr(comma + 2);
}

/// Doubles' names; the floats' end in f.
constexpr string_view functions_of_c[] = {
    "acos",      "acosh",  "asin",  "asinh", "atan",    "atan2",  "atanh", "cbrt",      "cos",
    "cosh",      "erf",    "erfc",  "exp",   "exp10",   "exp2",   "expm1", "fdim",      "fmod",
    "frexp",     "hypot",  "ilogb", "j0",    "j1",      "jn",     "ldexp", "lgamma",    "llround",
    "log",       "log10",  "log1p", "log2",  "logb",    "lround", "modf",  "nextafter", "pow",
    "remainder", "remquo", "round", "rsqrt", "scalbln", "scalbn", "sin",   "sincos",    "sinh",
    "sinpi",     "cospi",  "tan",   "tanh",  "tgamma",  "y0",     "y1",    "yn"};
constexpr string_view functions_of_cuda[] = {
    "cyl_bessel_i0", "cyl_bessel_i1", "erfcinv", "erfcx",   "erfinv",     "fdivide",
    "norm",          "norm3d",        "norm4d",  "normcdf", "normcdfinv", "rcbrt",
    "rhypot",        "rnorm",         "rnorm3d", "rnorm4d", "sincospi"};
constexpr string_view fast_functions[] = {
    "__expf", "__exp10f", "__logf",  "__log2f",   "__log10f",   "__powf",     "__sinf",
    "__cosf", "__tanf",   "__tanhf", "__sincosf", "__fdividef", "__frsqrt_rn"};
/// The parameters of these, as the linker's names have them.
constexpr string_view parameters[] = {"d",    "f",  "dd", "ff",   "ddd",  "fff",   "dddd",
                                      "ffff", "id", "if", "iPKd", "iPKf", "dPdS_", "fPfS_"};

/// Of either width.
template <std::size_t N>
bool is_either(string_view name, const string_view (&words)[N]) {
    return is_among(name, words) ||
           (ends(name, "f") && is_among(name.substr(0, name.size() - 1), words));
}

/// The operations of CUDA's functions with explicit rounding, and of half floats.
counted_operations intrinsic(string_view name) {
    constexpr std::pair<string_view, counted_operations> beginnings[] = {
        {"__fadd_r", {float_add, 1}},         {"__fsub_r", {float_add, 1}},
        {"__fmul_r", {float_add, 1}},         {"__fmaf_", {float_fma, 1}},
        {"__fdiv_r", {float_divide, 1}},      {"__frcp_r", {float_reciprocal, 1}},
        {"__fsqrt_r", {float_root, 1}},       {"__dadd_r", {double_add, 1}},
        {"__dsub_r", {double_add, 1}},        {"__dmul_r", {double_add, 1}},
        {"__fma_r", {double_fma, 1}},         {"__ddiv_r", {double_divide, 1}},
        {"__drcp_r", {double_reciprocal, 1}}, {"__dsqrt_r", {double_root, 1}},
        {"__hfma2", {half_fma, 2}},           {"__hfma", {half_fma, 1}},
        {"__hcmadd", {half_fma, 4}}};
    for (const auto& [beginning, operations] : beginnings)
        if (begins(name, beginning)) return operations;
    return {};
}

}  // namespace

counted_operations operations_of(string_view mnemonic, string_view operands) {
    const string_view name = begins(mnemonic, "v") ? mnemonic.substr(1) : mnemonic;
    if (begins(name, "cvt")) return {conversion, 1};
    if (const counted_operations found = floating_point(name, operands); found.count != 0)
        return found;
    if (begins(mnemonic, "v")) return {};
    const string_view stem = without_width(mnemonic);
    if (stem == "cmp" || stem == "test") return {comparison, 1};
    if (stem == "div" || stem == "idiv") return {integer_divide, 1};
    // Where a thread's own variable lies is a constant on a GPU.
    if (operands.find("@tpoff") != string_view::npos && stem == "lea") return {};
    // The stack's own pointer is no value of the program, and a register minus itself is 0.
    if (!is_integer(mnemonic) || ends(last_operand(operands), "%rsp")) return {};
    if ((stem == "xor" || stem == "sub") && is_one_register(operands)) return {};
    return {integer, 1};
}

counted_call call_of(string_view symbol) {
    if (symbol == "fmaf") return {{float_fma, 1}, {}};
    if (symbol == "fma") return {{double_fma, 1}, {}};
    if (is_either(symbol, {"fmin", "fmax"})) return {{comparison, 1}, {}};
    if (is_either(symbol, functions_of_c)) return {{}, std::string(symbol)};
    if (is_among(symbol, fast_functions)) return {{}, std::string(symbol)};
    if (!begins(symbol, "_Z")) return {};
    std::size_t digits = 2, length = 0;
    for (; digits < symbol.size() && symbol[digits] >= '0' && symbol[digits] <= '9'; ++digits)
        length = length * 10 + static_cast<std::size_t>(symbol[digits] - '0');
    if (length == 0 || length > symbol.size() - digits) return {};
    const string_view name = symbol.substr(digits, length);
    const string_view rest = symbol.substr(digits + length);
    if (const counted_operations found = intrinsic(name); found.count != 0) return {found, {}};
    const bool is_of_halves = rest == "6__half" || rest == "7__half2" ||
                              rest == "13__nv_bfloat16" || rest == "14__nv_bfloat162";
    if (is_of_halves && begins(name, "h")) return {{}, std::string(name)};
    if (is_among(name, fast_functions)) return {{}, std::string(name)};
    if (!is_among(rest, parameters) ||
        (!is_either(name, functions_of_cuda) && !is_either(name, functions_of_c)))
        return {};
    // CUDA has overloads for float of the doubles' names.
    const bool is_overload = rest.find('f') != string_view::npos && !ends(name, "f");
    return {{}, std::string(name) + (is_overload ? "f" : "")};
}

}  // namespace cuset_host::costs
