// Inline PTX: cvt among integers of 8 to 64 bits and floats, with every rounding to a whole number
// and with .sat, with edge values, against plain C++ on the host.
#include "ptx_operands.h"

// Of integers, from and to the low bits of registers; .sat is only for values that may not fit.
#define TO_INTEGERS(at, from)                                     \
    asm("cvt.u8." from " %0, %1;" : "=l"(d[(at) + 0]) : "l"(x));  \
    asm("cvt.s8." from " %0, %1;" : "=l"(d[(at) + 1]) : "l"(x));  \
    asm("cvt.u16." from " %0, %1;" : "=l"(d[(at) + 2]) : "l"(x)); \
    asm("cvt.s16." from " %0, %1;" : "=l"(d[(at) + 3]) : "l"(x)); \
    asm("cvt.u32." from " %0, %1;" : "=l"(d[(at) + 4]) : "l"(x)); \
    asm("cvt.s32." from " %0, %1;" : "=l"(d[(at) + 5]) : "l"(x)); \
    asm("cvt.u64." from " %0, %1;" : "=l"(d[(at) + 6]) : "l"(x)); \
    asm("cvt.s64." from " %0, %1;" : "=l"(d[(at) + 7]) : "l"(x))
#define SATURATED(at, to, from) asm("cvt.sat." to "." from " %0, %1;" : "=l"(d[at]) : "l"(x))
__global__ void integers(const u64* in, u64* out) {
    const u64 x = in[threadIdx.x];
    u64* d = out + threadIdx.x * 128;
    TO_INTEGERS(0, "u8");
    TO_INTEGERS(16, "s8");
    TO_INTEGERS(32, "u16");
    TO_INTEGERS(48, "s16");
    TO_INTEGERS(64, "u32");
    TO_INTEGERS(80, "s32");
    TO_INTEGERS(96, "u64");
    TO_INTEGERS(112, "s64");
    SATURATED(9, "s8", "u8");
    SATURATED(24, "u8", "s8");
    SATURATED(26, "u16", "s8");
    SATURATED(28, "u32", "s8");
    SATURATED(30, "u64", "s8");
    SATURATED(40, "u8", "u16");
    SATURATED(41, "s8", "u16");
    SATURATED(43, "s16", "u16");
    SATURATED(56, "u8", "s16");
    SATURATED(57, "s8", "s16");
    SATURATED(58, "u16", "s16");
    SATURATED(60, "u32", "s16");
    SATURATED(62, "u64", "s16");
    SATURATED(72, "u8", "u32");
    SATURATED(73, "s8", "u32");
    SATURATED(74, "u16", "u32");
    SATURATED(75, "s16", "u32");
    SATURATED(77, "s32", "u32");
    SATURATED(88, "u8", "s32");
    SATURATED(89, "s8", "s32");
    SATURATED(90, "u16", "s32");
    SATURATED(91, "s16", "s32");
    SATURATED(92, "u32", "s32");
    SATURATED(94, "u64", "s32");
    SATURATED(104, "u8", "u64");
    SATURATED(105, "s8", "u64");
    SATURATED(106, "u16", "u64");
    SATURATED(107, "s16", "u64");
    SATURATED(108, "u32", "u64");
    SATURATED(109, "s32", "u64");
    SATURATED(111, "s64", "u64");
    SATURATED(120, "u8", "s64");
    SATURATED(121, "s8", "s64");
    SATURATED(122, "u16", "s64");
    SATURATED(123, "s16", "s64");
    SATURATED(124, "u32", "s64");
    SATURATED(125, "s32", "s64");
    SATURATED(126, "u64", "s64");
}
// Of floats, to each integer.
#define WHOLE(at, how, from, S)                                         \
    asm("cvt." how ".u8." from " %0, %1;" : "=l"(d[(at) + 0]) : S(x));  \
    asm("cvt." how ".s8." from " %0, %1;" : "=l"(d[(at) + 1]) : S(x));  \
    asm("cvt." how ".u16." from " %0, %1;" : "=l"(d[(at) + 2]) : S(x)); \
    asm("cvt." how ".s16." from " %0, %1;" : "=l"(d[(at) + 3]) : S(x)); \
    asm("cvt." how ".u32." from " %0, %1;" : "=l"(d[(at) + 4]) : S(x)); \
    asm("cvt." how ".s32." from " %0, %1;" : "=l"(d[(at) + 5]) : S(x)); \
    asm("cvt." how ".u64." from " %0, %1;" : "=l"(d[(at) + 6]) : S(x)); \
    asm("cvt." how ".s64." from " %0, %1;" : "=l"(d[(at) + 7]) : S(x))
__global__ void whole_f32(const float* in, u64* out, float* rounded) {
    const float x = in[threadIdx.x];
    u64* d = out + threadIdx.x * 40;
    float* r = rounded + threadIdx.x * 4;
    WHOLE(0, "rni", "f32", "f");
    WHOLE(8, "rzi", "f32", "f");
    WHOLE(16, "rmi", "f32", "f");
    WHOLE(24, "rpi", "f32", "f");
    WHOLE(32, "rzi.sat", "f32", "f");
    asm("cvt.rni.f32.f32 %0, %1;" : "=f"(r[0]) : "f"(x));
    asm("cvt.rzi.f32.f32 %0, %1;" : "=f"(r[1]) : "f"(x));
    asm("cvt.rmi.f32.f32 %0, %1;" : "=f"(r[2]) : "f"(x));
    asm("cvt.rpi.f32.f32 %0, %1;" : "=f"(r[3]) : "f"(x));
}
__global__ void whole_f64(const double* in, u64* out, double* rounded) {
    const double x = in[threadIdx.x];
    u64* d = out + threadIdx.x * 40;
    double* r = rounded + threadIdx.x * 4;
    WHOLE(0, "rni", "f64", "d");
    WHOLE(8, "rzi", "f64", "d");
    WHOLE(16, "rmi", "f64", "d");
    WHOLE(24, "rpi", "f64", "d");
    WHOLE(32, "rzi.sat", "f64", "d");
    asm("cvt.rni.f64.f64 %0, %1;" : "=d"(r[0]) : "d"(x));
    asm("cvt.rzi.f64.f64 %0, %1;" : "=d"(r[1]) : "d"(x));
    asm("cvt.rmi.f64.f64 %0, %1;" : "=d"(r[2]) : "d"(x));
    asm("cvt.rpi.f64.f64 %0, %1;" : "=d"(r[3]) : "d"(x));
}
// Of integers, and among floats.
__global__ void to_floats(const u64* in, float* single, double* twice) {
    const u64 x = in[threadIdx.x];
    float* f = single + threadIdx.x * 9;
    double* d = twice + threadIdx.x * 8;
    asm("cvt.rn.f32.u8 %0, %1;" : "=f"(f[0]) : "l"(x));
    asm("cvt.rn.f64.u8 %0, %1;" : "=d"(d[0]) : "l"(x));
    asm("cvt.rn.f32.s8 %0, %1;" : "=f"(f[1]) : "l"(x));
    asm("cvt.rn.f64.s8 %0, %1;" : "=d"(d[1]) : "l"(x));
    asm("cvt.rn.f32.u16 %0, %1;" : "=f"(f[2]) : "l"(x));
    asm("cvt.rn.f64.u16 %0, %1;" : "=d"(d[2]) : "l"(x));
    asm("cvt.rn.f32.s16 %0, %1;" : "=f"(f[3]) : "l"(x));
    asm("cvt.rn.f64.s16 %0, %1;" : "=d"(d[3]) : "l"(x));
    asm("cvt.rn.f32.u32 %0, %1;" : "=f"(f[4]) : "l"(x));
    asm("cvt.rn.f64.u32 %0, %1;" : "=d"(d[4]) : "l"(x));
    asm("cvt.rn.f32.s32 %0, %1;" : "=f"(f[5]) : "l"(x));
    asm("cvt.rn.f64.s32 %0, %1;" : "=d"(d[5]) : "l"(x));
    asm("cvt.rn.f32.u64 %0, %1;" : "=f"(f[6]) : "l"(x));
    asm("cvt.rn.f64.u64 %0, %1;" : "=d"(d[6]) : "l"(x));
    asm("cvt.rn.f32.s64 %0, %1;" : "=f"(f[7]) : "l"(x));
    asm("cvt.rn.f64.s64 %0, %1;" : "=d"(d[7]) : "l"(x));
    asm("cvt.rn.sat.f32.s8 %0, %1;" : "=f"(f[8]) : "l"(x));
}
__global__ void floats(const double* in, float* single, double* twice) {
    const double x = in[threadIdx.x];
    float* f = single + threadIdx.x * 3;
    asm("cvt.rn.f32.f64 %0, %1;" : "=f"(f[0]) : "d"(x));
    asm("cvt.sat.f32.f32 %0, %1;" : "=f"(f[1]) : "f"(f[0]));
    asm("cvt.rn.sat.f32.f64 %0, %1;" : "=f"(f[2]) : "d"(x));
    asm("cvt.f64.f32 %0, %1;" : "=d"(twice[2 * threadIdx.x]) : "f"(f[0]));
    asm("cvt.sat.f64.f64 %0, %1;" : "=d"(twice[2 * threadIdx.x + 1]) : "d"(x));
}

// --- Checks --------------------------------------------------------------------------------------

// A register that is wider than the result holds it with its sign or with zeros above, as ptxas
// makes it.

constexpr const char* types[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};

/// Calls f with a value of each of these types.
template <class F>
static void for_integers(F f) {
    f(0, u8()), f(1, s8()), f(2, u16()), f(3, s16()), f(4, u32()), f(5, s32()), f(6, u64()),
        f(7, s64());
}
template <class To, class From>
static bool fits(From) {
    using to = std::numeric_limits<To>;
    using from = std::numeric_limits<From>;
    return wide(to::min()) <= from::min() && wide(from::max()) <= to::max();
}
template <class To>
static To clamped(wide x) {
    using limits = std::numeric_limits<To>;
    return static_cast<To>(x < limits::min()   ? limits::min()
                           : x > limits::max() ? limits::max()
                                               : x);
}
template <class To, class From>
static To of_float(From x) {
    using limits = std::numeric_limits<To>;
    if (x != x)
        return sizeof(From) == 8 || sizeof(To) == 8
                   ? static_cast<To>(u64{1} << (8 * sizeof(To) - 1))
                   : 0;
    if (x > 1e20) return limits::max();
    if (x < -1e20) return limits::min();
    return clamped<To>(static_cast<wide>(x));
}
template <class T>
static u64 bits_of(T x) {
    u64 made = 0;
    std::memcpy(&made, &x, sizeof x);
    return made;
}
/// NaN has no bits that are compared.
template <class A, class T>
static void expect_float(const char* what, const char* type, A a, T got, T want) {
    if (got == got || want == want) expect(what, type, a, A(0), bits_of(got), bits_of(want));
}

static void check_integers() {
    const std::vector<u64> values = edges<u64>();
    const int n = static_cast<int>(values.size());
    u64 *in = managed(values), *out = managed(std::vector<u64>(n * 128));
    float* single = managed(std::vector<float>(n * 9));
    double* twice = managed(std::vector<double>(n * 8));
    integers<<<1, n>>>(in, out);
    to_floats<<<1, n>>>(in, single, twice);
    wait_for_device();
    for (int i = 0; i < n; ++i)
        for_integers([&](int from, auto zero_from) {
            const auto x = static_cast<decltype(zero_from)>(values[i]);
            for_integers([&](int to, auto zero) {
                using To = decltype(zero);
                const u64* got = out + i * 128 + from * 16 + to;
                expect(types[to], types[from], x, decltype(x)(0), (got[0]), static_cast<To>(x));
                if (!fits<To>(x))
                    expect(types[to], "sat", x, decltype(x)(0), (got[8]), clamped<To>(x));
            });
            expect_float("f32", types[from], x, single[i * 9 + from], static_cast<float>(x));
            expect_float("f64", types[from], x, twice[i * 8 + from], static_cast<double>(x));
            if (from == 1) expect_float("sat.f32", "s8", x, single[i * 9 + 8], x > 0 ? 1.0F : 0.0F);
        });
    cudaFree(in), cudaFree(out), cudaFree(single), cudaFree(twice);
}
template <class T>
static void check_floats(const char* type, void (*kernel)(const T*, u64*, T*)) {
    const std::vector<T> values = edges<T>();
    const int n = static_cast<int>(values.size());
    T *in = managed(values), *rounded = managed(std::vector<T>(n * 4));
    u64* out = managed(std::vector<u64>(n * 40));
    kernel<<<1, n>>>(in, out, rounded);
    wait_for_device();
    for (int i = 0; i < n; ++i) {
        const T x = values[i];
        const T whole[] = {std::nearbyint(x), std::trunc(x), std::floor(x), std::ceil(x),
                           std::trunc(x)};
        for (int how = 0; how < 5; ++how) {
            for_integers([&](int to, auto zero) {
                using To = decltype(zero);
                expect(types[to], type, x, T(how), (out[i * 40 + how * 8 + to]),
                       of_float<To>(whole[how]));
            });
            if (how < 4) expect_float("rounded", type, x, rounded[i * 4 + how], whole[how]);
        }
    }
    cudaFree(in), cudaFree(out), cudaFree(rounded);
}
static void check_among_floats() {
    const std::vector<double> values = edges<double>();
    const int n = static_cast<int>(values.size());
    double *in = managed(values), *twice = managed(std::vector<double>(n * 2));
    float* single = managed(std::vector<float>(n * 3));
    floats<<<1, n>>>(in, single, twice);
    wait_for_device();
    for (int i = 0; i < n; ++i) {
        const double x = values[i], unit = x > 0 ? x < 1 ? x : 1 : 0;
        const float narrow = static_cast<float>(x);
        const float want[] = {narrow, narrow > 0 ? narrow < 1 ? narrow : 1 : 0,
                              static_cast<float>(unit)};
        for (int k = 0; k < 3; ++k) expect_float("f64", "f32", x, single[3 * i + k], want[k]);
        expect_float("f32", "f64", x, twice[2 * i], static_cast<double>(narrow));
        expect_float("sat", "f64", x, twice[2 * i + 1], unit);
    }
    cudaFree(in), cudaFree(twice), cudaFree(single);
}

int main() {
    check_integers();
    check_floats("f32", whole_f32), check_floats("f64", whole_f64);
    check_among_floats();
    return verdict();
}
