#include "host_names.h"

#include "cuset/syntax/lexer.h"

namespace cuset {
namespace {

using syntax::is_one_of;

constexpr std::string_view std_constexpr_functions[] = {
    "max",       "min",      "clamp",      "gcd",         "lcm",
    "make_pair", "distance", "make_tuple", "max_element", "addressof",
    "as_const",  "isnormal", "minmax",     "begin",       "size"};

constexpr std::string_view std_functions[] = {
    "accumulate",  "inner_product", "count",     "exchange",    "time",   "getenv",
    "swap",        "sort",          "fill",      "copy",        "abort",  "exit",
    "iota",        "reverse",       "transform", "nth_element", "fill_n", "rand",
    "lower_bound", "endl",          "to_string", "upper_bound", "ref"};

constexpr std::string_view std_types[] = {"vector",      "string", "function",  "mt19937",
                                          "string_view", "map",    "unique_ptr"};

constexpr std::string_view std_constexpr_types[] = {"pair", "tuple", "complex"};

constexpr std::string_view std_objects[] = {"cout", "cerr"};

constexpr std::string_view limits[] = {"max", "min", "lowest", "epsilon", "infinity"};

constexpr std::string_view host_functions[] = {
    "rand",      "exit",   "abort",   "fprintf", "puts",    "getchar", "sprintf",
    "atof",      "strcpy", "qsort",   "time",    "atoi",    "strcmp",  "snprintf",
    "putchar",   "fputs",  "memmove", "drand48", "toupper", "getenv",  "cudaDeviceSynchronize",
    "cudaMemcpy"};

// Without float's suffix.
constexpr std::string_view device_functions[] = {
    "abs",       "fabs",     "sqrt",    "rsqrt",  "cbrt",     "rcbrt",        "exp",
    "exp2",      "exp10",    "expm1",   "log",    "log2",     "log10",        "log1p",
    "pow",       "sin",      "cos",     "tan",    "asin",     "acos",         "atan",
    "atan2",     "sinh",     "cosh",    "tanh",   "asinh",    "acosh",        "atanh",
    "erf",       "erfc",     "erfcx",   "erfinv", "erfcinv",  "normcdf",      "normcdfinv",
    "tgamma",    "lgamma",   "floor",   "ceil",   "round",    "trunc",        "rint",
    "nearbyint", "lround",   "llround", "lrint",  "llrint",   "fmod",         "remainder",
    "remquo",    "fma",      "fmin",    "fmax",   "fdim",     "hypot",        "rhypot",
    "norm",      "copysign", "isnan",   "isinf",  "isfinite", "signbit",      "ldexp",
    "scalbn",    "logb",     "ilogb",   "frexp",  "modf",     "nextafter",    "min",
    "max",       "umin",     "umax",    "llmin",  "llmax",    "ullmin",       "ullmax",
    "sincos",    "sincospi", "sinpi",   "cospi",  "saturate", "clock",        "clock64",
    "printf",    "malloc",   "free",    "memcpy", "memset",   "labs",         "llabs",
    "any",       "all",      "ballot",  "dot",    "cross",    "length",       "normalize",
    "lerp",      "clamp",    "assert",  "swap",   "mul24",    "float_as_int", "int_as_float",
    "shfl",      "j0",       "j1",      "jn",     "y0",       "y1",           "yn"};

}  // namespace

host_name name_in_std(std::string_view name) {
    if (is_one_of(name, std_constexpr_functions)) return host_name::constexpr_function;
    if (is_one_of(name, std_functions)) return host_name::function;
    if (is_one_of(name, std_objects)) return host_name::object;
    if (name == "array") return host_name::array;
    if (is_one_of(name, std_constexpr_types)) return host_name::constexpr_type;
    return is_one_of(name, std_types) ? host_name::type : host_name::none;
}

bool is_limit(std::string_view name) { return is_one_of(name, limits); }

bool is_host_only_function(std::string_view name) { return is_one_of(name, host_functions); }

bool is_math_function(std::string_view name) {
    constexpr std::string_view functions[] = {"sqrt", "exp", "log", "pow", "sin", "cos"};
    return is_one_of(name, functions) ||
           (name.ends_with('f') && is_one_of(name.substr(0, name.size() - 1), functions));
}

bool is_device_library_name(std::string_view name) {
    for (const std::string_view prefix : {"__", "make_", "atomic", "tex", "surf", "cuda", "h"}) {
        if (name.starts_with(prefix) && (prefix != "h" || name.starts_with("half"))) return true;
    }
    if (is_one_of(name, device_functions)) return true;
    return name.ends_with('f') && is_one_of(name.substr(0, name.size() - 1), device_functions);
}

}  // namespace cuset
