// Inline PTX: setp, set and testp with every comparison and type, and their combinations with
// predicates, with edge values, against plain C++ on the host.
#include "ptx_operands.h"

// --- Comparisons ---------------------------------------------------------------------------------

// Bits of results, the first one on top.
#define SIGNED(name, T, t, S)                                                   \
    __global__ void name(const T* in, u32* out) {                               \
        const T x = in[blockIdx.x], y = in[threadIdx.x];                        \
        u32 d[7], made = 0;                                                     \
        asm("{ .reg .pred p; setp.eq." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[0])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.ne." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[1])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.lt." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[2])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.le." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[3])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.gt." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[4])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.ge." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[5])                                                        \
            : S(x), S(y));                                                      \
        asm("set.ge.u32." t " %0, %1, %2;" : "=r"(d[6]) : S(x), S(y));          \
        for (const u32 one : d)                                                 \
            made = 2 * made + (one == 0 ? 0 : one == 1 || one == ~0U ? 1 : 77); \
        out[blockIdx.x * blockDim.x + threadIdx.x] = made;                      \
    }
#define UNSIGNED(name, T, t, S)                                                 \
    __global__ void name(const T* in, u32* out) {                               \
        const T x = in[blockIdx.x], y = in[threadIdx.x];                        \
        u32 d[11], made = 0;                                                    \
        asm("{ .reg .pred p; setp.eq." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[0])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.ne." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[1])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.lt." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[2])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.le." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[3])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.gt." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[4])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.ge." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[5])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.lo." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[6])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.ls." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[7])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.hi." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[8])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.hs." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[9])                                                        \
            : S(x), S(y));                                                      \
        asm("set.hi.s32." t " %0, %1, %2;" : "=r"(d[10]) : S(x), S(y));         \
        for (const u32 one : d)                                                 \
            made = 2 * made + (one == 0 ? 0 : one == 1 || one == ~0U ? 1 : 77); \
        out[blockIdx.x * blockDim.x + threadIdx.x] = made;                      \
    }
#define FLOATING(name, T, t, S)                                                 \
    __global__ void name(const T* in, u32* out) {                               \
        const T x = in[blockIdx.x], y = in[threadIdx.x];                        \
        u32 d[16], made = 0;                                                    \
        asm("{ .reg .pred p; setp.eq." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[0])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.ne." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[1])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.lt." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[2])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.le." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[3])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.gt." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[4])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.ge." t " p, %1, %2; selp.u32 %0, 1, 0, p; }"  \
            : "=r"(d[5])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.equ." t " p, %1, %2; selp.u32 %0, 1, 0, p; }" \
            : "=r"(d[6])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.neu." t " p, %1, %2; selp.u32 %0, 1, 0, p; }" \
            : "=r"(d[7])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.ltu." t " p, %1, %2; selp.u32 %0, 1, 0, p; }" \
            : "=r"(d[8])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.leu." t " p, %1, %2; selp.u32 %0, 1, 0, p; }" \
            : "=r"(d[9])                                                        \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.gtu." t " p, %1, %2; selp.u32 %0, 1, 0, p; }" \
            : "=r"(d[10])                                                       \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.geu." t " p, %1, %2; selp.u32 %0, 1, 0, p; }" \
            : "=r"(d[11])                                                       \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.num." t " p, %1, %2; selp.u32 %0, 1, 0, p; }" \
            : "=r"(d[12])                                                       \
            : S(x), S(y));                                                      \
        asm("{ .reg .pred p; setp.nan." t " p, %1, %2; selp.u32 %0, 1, 0, p; }" \
            : "=r"(d[13])                                                       \
            : S(x), S(y));                                                      \
        asm("set.ltu.s32." t " %0, %1, %2;" : "=r"(d[14]) : S(x), S(y));        \
        asm("set.le.u32." t " %0, %1, %2;" : "=r"(d[15]) : S(x), S(y));         \
        for (const u32 one : d)                                                 \
            made = 2 * made + (one == 0 ? 0 : one == 1 || one == ~0U ? 1 : 77); \
        out[blockIdx.x * blockDim.x + threadIdx.x] = made;                      \
    }
SIGNED(compare_s16, s16, "s16", "h")
SIGNED(compare_s32, s32, "s32", "r")
SIGNED(compare_s64, s64, "s64", "l")
UNSIGNED(compare_u16, u16, "u16", "h")
UNSIGNED(compare_u32, u32, "u32", "r")
UNSIGNED(compare_u64, u64, "u64", "l")
FLOATING(compare_f32, float, "f32", "f")
FLOATING(compare_f64, double, "f64", "d")

template <class T>
static void check_comparisons(const char* type, void (*kernel)(const T*, u32*)) {
    constexpr bool is_integer = std::numeric_limits<T>::is_integer,
                   is_signed = std::numeric_limits<T>::is_signed;
    const std::vector<T> values = edges<T>();
    const unsigned n = static_cast<unsigned>(values.size());
    T* in = managed(values);
    u32* out = managed(std::vector<u32>(n * n));
    kernel<<<n, n>>>(in, out);
    wait_for_device();
    for (unsigned i = 0; i < n * n; ++i) {
        const T a = values[i / n], b = values[i % n];
        const bool nan = a != a || b != b;
        std::vector<bool> results = {a == b, a != b && !nan, a<b, a <= b, a> b, a >= b};
        std::vector<bool> more;
        if (is_integer && is_signed) more = {a >= b};
        if (is_integer && !is_signed) more = {a<b, a <= b, a> b, a >= b, a > b};
        if (!is_integer)
            more = {a == b || nan, a != b, a < b || nan, a <= b || nan, a > b || nan,
                    a >= b || nan, !nan,   nan,          a < b || nan,  a <= b};
        results.insert(results.end(), more.begin(), more.end());
        u32 want = 0;
        for (const bool one : results) want = 2 * want + one;
        expect("comparisons", type, a, b, out[i], want);
    }
    cudaFree(in), cudaFree(out);
}

/// What is not a number, and predicates of their own: bits by number.
__global__ void predicates(const double* in, const u64* integers, u32* out) {
    const double x = in[blockIdx.x], y = in[threadIdx.x];
    const u64 i = integers[threadIdx.x % 8], j = integers[(threadIdx.x + blockIdx.x) % 8];
    u32 d[11];
#define COMBINED(at, b)                                                                          \
    asm("{ .reg .pred p, q, r; setp.lt.f64 r, %2, %3; setp.ge." b                                \
        ".u64 p|q, %4, %5, !r; "                                                                 \
        "selp.u32 %0, 1, 0, p; selp.u32 %1, 0, 2, q; @!q add.u32 %1, %1, 5; }"                   \
        : "=r"(d[at]), "=r"(d[(at) + 1])                                                         \
        : "d"(x), "d"(y), "l"(i), "l"(j));                                                       \
    asm("{ .reg .pred p, q, r; setp.eq.u64 p, %1, %2; setp.gt.f64 q, %3, %4; mov.pred r, q; " b  \
        ".pred p, p, r; not.pred q, p; mov.u32 %0, 4; @p mov.u32 %0, 8; @q add.u32 %0, %0, 1; }" \
        : "=r"(d[(at) + 2])                                                                      \
        : "l"(i), "l"(j), "d"(x), "d"(y))
    COMBINED(0, "and");
    COMBINED(3, "or");
    COMBINED(6, "xor");
    asm("{ .reg .pred r; setp.lt.u64 r, %1, %2; set.neu.or.f32.f64 %0, %3, %4, r; }"
        : "=r"(d[9])
        : "l"(i), "l"(j), "d"(x), "d"(y));
    asm("{ .reg .pred p; testp.subnormal.f64 p, %1; selp.u32 %0, 1, 0, p; testp.normal.f64 p, %1; "
        "@p or.b32 %0, %0, 2; testp.infinite.f64 p, %1; @p or.b32 %0, %0, 4; testp.notanumber.f64 "
        "p, %1; "
        "@p or.b32 %0, %0, 8; testp.finite.f64 p, %1; @p or.b32 %0, %0, 16; testp.number.f64 p, "
        "%1; @p or.b32 %0, %0, 32; }"
        : "=r"(d[10])
        : "d"(x));
    for (int k = 0; k < 11; ++k) out[(blockIdx.x * blockDim.x + threadIdx.x) * 11 + k] = d[k];
}

static void check_predicates() {
    const std::vector<double> values = edges<double>();
    const std::vector<u64> integers = {5, 5, 7, 0, ~0ULL, 1ULL << 63, 5, 7};
    const unsigned n = static_cast<unsigned>(values.size());
    double* in = managed(values);
    u64* whole = managed(integers);
    u32* out = managed(std::vector<u32>(n * n * 11));
    predicates<<<n, n>>>(in, whole, out);
    wait_for_device();
    const auto joined = [](int k, bool p, bool q) {
        return k == 0 ? p && q : k == 1 ? p || q : p != q;
    };
    for (unsigned at = 0; at < n * n; ++at) {
        const double a = values[at / n], b = values[at % n];
        const u64 i = integers[at % n % 8], j = integers[(at % n + at / n) % 8];
        for (int k = 0; k < 3; ++k) {
            const u32* got = out + at * 11 + 3 * k;
            expect("setp", "first", a, b, got[0], joined(k, i >= j, !(a < b)));
            expect("setp", "second", a, b, got[1], joined(k, i < j, !(a < b)) ? 0 : 7);
            expect("predicates", "joined", a, b, got[2], joined(k, i == j, a > b) ? 8 : 5);
        }
        const int kind = std::fpclassify(a);
        expect("set", "f64", a, b, out[at * 11 + 9], a != b || i < j ? 0x3f800000 : 0);
        expect("testp", "f64", a, b, out[at * 11 + 10],
               kind == FP_SUBNORMAL  ? 49
               : kind == FP_NORMAL   ? 50
               : kind == FP_INFINITE ? 36
               : kind == FP_NAN      ? 8
                                     : 48);
    }
    cudaFree(in), cudaFree(whole), cudaFree(out);
}

int main() {
    check_comparisons("s16", compare_s16), check_comparisons("s32", compare_s32);
    check_comparisons("s64", compare_s64), check_comparisons("u16", compare_u16);
    check_comparisons("u32", compare_u32), check_comparisons("u64", compare_u64);
    check_comparisons("f32", compare_f32), check_comparisons("f64", compare_f64);
    check_predicates();
    return verdict();
}
