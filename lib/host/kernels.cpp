#include "kernels.h"

#include <algorithm>

namespace cuset {

using namespace syntax;

namespace {

// Whether no compilation contains both.
bool exclude_each_other(const cuda_function& a, const cuda_function& b) {
    const std::size_t n = std::min(a.branches.size(), b.branches.size());
    for (std::size_t i = 0; i < n; ++i) {
        if (a.branches[i].conditional != b.branches[i].conditional) return false;
        if (a.branches[i].branch != b.branches[i].branch) return true;
    }
    return false;
}

// Functions of C and of CUDA's mathematics that every program has in its global namespace: a kernel
// with such a name is one more function of that name.
bool is_library_name(const std::string& name) {
    constexpr std::string_view names =
        " abs acos acosh asin asinh atan atan2 atanh atof bsearch calloc cbrt ceil "
        "clock copysign cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 div drem erf erfc "
        "erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs fdim fdivide floor fma fmax "
        "fmin fmod free frexp gamma hypot ilogb index isfinite isinf isnan j0 j1 jn "
        "labs ldexp ldiv lgamma llabs lldiv llrint llround log log10 log1p log2 logb "
        "lrint lround malloc max memcmp memcpy memmove memset min modf nan nearbyint "
        "nextafter norm norm3d norm4d normcdf normcdfinv pow qsort rand random rcbrt "
        "realloc remainder remquo rhypot rindex rint rnorm rnorm3d rnorm4d round "
        "rsqrt scalb scalbln scalbn signbit significand sin sincos sincospi sinh "
        "sinpi sqrt srand tan tanh tanpi tgamma trunc y0 y1 yn ";
    return names.find(' ' + name + ' ') != names.npos;
}

}  // namespace

kernel_table::kernel_table(const cuda_program& program) {
    constexpr std::size_t most_compared = 16;  // heads with one name: keeps hostile text linear
    for (std::uint32_t i = 0; i < program.functions.size(); ++i) {
        const cuda_function& f = program.functions[i];
        if (!f.is_global || f.is_lambda) continue;
        named_kernel& k = kernels_[f.name];
        if (f.is_template) k.is_template = true;
        if (f.defaults > 0) k.has_defaults = true;
        if (f.define != no_token && f.is_template) macros_make_templates_ = true;
        if (k.functions.size() >= most_compared || is_library_name(f.name)) k.is_overloaded = true;
        for (const std::uint32_t other : k.functions) {
            if (k.is_overloaded) break;
            const cuda_function& g = program.functions[other];
            if (exclude_each_other(f, g) || f.body.end == g.body.end) continue;
            const bool both_defined = !f.body.empty() && !g.body.empty();
            const bool differs = f.parameter_count != g.parameter_count || f.scope != g.scope;
            if (both_defined || differs) k.is_overloaded = true;
        }
        k.functions.push_back(i);
        if (!k.is_plain()) all_are_plain_ = false;
    }
}

const named_kernel* kernel_table::find(const std::string& name) const {
    const auto found = kernels_.find(name);
    return found == kernels_.end() ? nullptr : &found->second;
}

}  // namespace cuset
