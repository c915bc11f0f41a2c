// Inline PTX that computes with floats of single and double precision, on edge values: exact
// roundings, functions that are approximate, saturation and subnormal numbers.
#include <cstdio>
#include <limits>

#include "check.h"

// min(-0, +0) is -0 and max is +0, whatever their order, as ptxas folds them.

template <class T>
static void expect(const char* what, T a, T b, T c, T got, T want, double relative = 0) {
    const bool same = got == want && std::signbit(got) == std::signbit(want);
    if (same || (got != got && want != want)) return;
    if (!fails(std::fabs(double(got) - double(want)) <= relative * std::fabs(double(want)))) return;
    std::printf("%s of %a, %a, %a: %a, must be %a\n", what, double(a), double(b), double(c),
                double(got), double(want));
}
template <class T>
static std::vector<T> edges() {
    using limits = std::numeric_limits<T>;
    std::vector<T> made = {T(0),
                           T(1),
                           T(0.5),
                           T(1.5),
                           T(3),
                           T(0.1),
                           T(1) / 3,
                           T(1e-20),
                           T(1e20),
                           limits::min(),
                           limits::epsilon(),
                           1 + limits::epsilon(),
                           limits::max(),
                           limits::infinity(),
                           limits::min() / 8,
                           T(7.75)};
    for (std::size_t i = 0, n = made.size(); i < n; ++i) made.push_back(-made[i]);
    made.push_back(limits::quiet_NaN());
    return made;
}

// --- Single and double precision -----------------------------------------------------------------

// Sums and products that say .rn are never fused.
#define EXACT(name, T, t, S, D)                                                                    \
    __global__ void name(const T* in, T* out) {                                                    \
        const T x = in[blockIdx.x], y = in[threadIdx.x], z = in[(threadIdx.x + 5) % blockDim.x];   \
        T* d = out + (blockIdx.x * blockDim.x + threadIdx.x) * exact_count;                        \
        asm("add." t " %0, %1, %2;" : D(d[0]) : S(x), S(y));                                       \
        asm("sub." t " %0, %1, %2;" : D(d[1]) : S(x), S(y));                                       \
        asm("mul." t " %0, %1, %2;" : D(d[2]) : S(x), S(y));                                       \
        asm("fma.rn." t " %0, %1, %2, %3;" : D(d[3]) : S(x), S(y), S(z));                          \
        asm("mad.rn." t " %0, %1, %2, %3;" : D(d[4]) : S(x), S(y), S(z));                          \
        asm("{ .reg ." t " v; mul.rn." t " v, %1, %2; sub.rn." t " %0, v, %3; }"                   \
            : D(d[5])                                                                              \
            : S(x), S(y), S(z));                                                                   \
        asm("div.rn." t " %0, %1, %2;" : D(d[6]) : S(x), S(y));                                    \
        asm("rcp.rn." t " %0, %1;" : D(d[7]) : S(x));                                              \
        asm("sqrt.rn." t " %0, %1;" : D(d[8]) : S(x));                                             \
        asm("min." t " %0, %1, %2;" : D(d[9]) : S(x), S(y));                                       \
        asm("max." t " %0, %1, %2;" : D(d[10]) : S(x), S(y));                                      \
        asm("abs." t " %0, %1;" : D(d[11]) : S(x));                                                \
        asm("neg." t " %0, %1;" : D(d[12]) : S(x));                                                \
        asm("copysign." t " %0, %1, %2;" : D(d[13]) : S(x), S(y));                                 \
        asm("slct." t ".f32 %0, %1, %2, %3;" : D(d[14]) : S(x), S(y), "f"(static_cast<float>(z))); \
        asm("slct." t ".s32 %0, %1, %2, %3;" : D(d[15]) : S(x), S(y), "r"(int(threadIdx.x) - 9));  \
        asm("{ .reg .pred p; setp.gt." t " p, %1, %3; selp." t " %0, %1, %2, p; }"                 \
            : D(d[16])                                                                             \
            : S(x), S(y), S(z));                                                                   \
    }
constexpr int exact_count = 17;
EXACT(exact_f32, float, "f32", "f", "=f")
EXACT(exact_f64, double, "f64", "d", "=d")
constexpr const char* exact_names[] = {
    "add", "sub", "mul", "fma.rn", "mad.rn",   "mul.rn, sub.rn", "div.rn",   "rcp.rn", "sqrt.rn",
    "min", "max", "abs", "neg",    "copysign", "slct.f32",       "slct.s32", "selp"};

template <class T>
static T least(T a, T b) {
    return a != a ? b : b != b || a < b ? a : b < a ? b : std::signbit(a) ? a : b;
}

template <class T>
static void check_exact(void (*kernel)(const T*, T*)) {
    const std::vector<T> values = edges<T>();
    const int n = static_cast<int>(values.size());
    T *in = managed(values), *out = managed(std::vector<T>(n * n * exact_count));
    kernel<<<n, n>>>(in, out);
    wait_for_device();
    for (int i = 0; i < n * n; ++i) {
        const T a = values[i / n], b = values[i % n], c = values[(i % n + 5) % n];
        volatile T product = a * b;
        const T want[] = {a + b,
                          a - b,
                          product,
                          std::fma(a, b, c),
                          std::fma(a, b, c),
                          product - c,
                          a / b,
                          1 / a,
                          std::sqrt(a),
                          least(a, b),
                          -least(-a, -b),
                          std::fabs(a),
                          -a,
                          std::copysign(b, a),
                          static_cast<float>(c) >= 0 ? a : b,
                          i % n >= 9 ? a : b,
                          a > c ? a : b};
        for (int k = 0; k < exact_count; ++k) {
            expect(exact_names[k], a, b, c, out[i * exact_count + k], want[k]);
        }
    }
    cudaFree(in), cudaFree(out);
}

constexpr int single_count = 24;
__global__ void of_single(const float* in, float* out) {
    const float x = in[blockIdx.x], y = in[threadIdx.x], z = in[(threadIdx.x + 5) % blockDim.x];
    float* d = out + (blockIdx.x * blockDim.x + threadIdx.x) * single_count;
    asm("add.sat.f32 %0, %1, %2;" : "=f"(d[0]) : "f"(x), "f"(y));
    asm("sub.rn.sat.f32 %0, %1, %2;" : "=f"(d[1]) : "f"(x), "f"(y));
    asm("mul.sat.f32 %0, %1, %2;" : "=f"(d[2]) : "f"(x), "f"(y));
    asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(d[3]) : "f"(x), "f"(y), "f"(z));
    asm("add.f32 %0, %1, 0f3E800000;" : "=f"(d[4]) : "f"(x));
    asm("mul.f32 %0, %1, 0.375;" : "=f"(d[5]) : "f"(x));
    asm("rcp.approx.f32 %0, %1;" : "=f"(d[6]) : "f"(x));
    asm("sqrt.approx.f32 %0, %1;" : "=f"(d[7]) : "f"(x));
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(d[8]) : "f"(x));
    asm("ex2.approx.f32 %0, %1;" : "=f"(d[9]) : "f"(x));
    asm("lg2.approx.f32 %0, %1;" : "=f"(d[10]) : "f"(x));
    asm("tanh.approx.f32 %0, %1;" : "=f"(d[11]) : "f"(x));
    asm("sin.approx.f32 %0, %1;" : "=f"(d[12]) : "f"(x));
    asm("cos.approx.f32 %0, %1;" : "=f"(d[13]) : "f"(x));
    asm("div.approx.f32 %0, %1, %2;" : "=f"(d[14]) : "f"(x), "f"(y));
    asm("div.full.f32 %0, %1, %2;" : "=f"(d[15]) : "f"(x), "f"(y));
    asm("add.ftz.f32 %0, %1, %2;" : "=f"(d[16]) : "f"(x), "f"(y));
    asm("mul.rn.ftz.f32 %0, %1, %2;" : "=f"(d[17]) : "f"(x), "f"(y));
    asm("fma.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(d[18]) : "f"(x), "f"(y), "f"(z));
    asm("max.ftz.f32 %0, %1, %2;" : "=f"(d[19]) : "f"(x), "f"(y));
    asm("neg.ftz.f32 %0, %1;" : "=f"(d[20]) : "f"(x));
    asm("rcp.rn.ftz.f32 %0, %1;" : "=f"(d[21]) : "f"(x));
    asm("sqrt.rn.ftz.f32 %0, %1;" : "=f"(d[22]) : "f"(x));
    asm("{ .reg .pred p; setp.lt.ftz.f32 p, %1, %2; selp.f32 %0, 0f3F800000, 0f40000000, p; }"
        : "=f"(d[23])
        : "f"(x), "f"(y));
}
constexpr const char* single_names[] = {"add.sat",
                                        "sub.sat",
                                        "mul.sat",
                                        "fma.sat",
                                        "add of a constant",
                                        "mul of a constant",
                                        "rcp.approx",
                                        "sqrt.approx",
                                        "rsqrt.approx",
                                        "ex2",
                                        "lg2",
                                        "tanh",
                                        "sin",
                                        "cos",
                                        "div.approx",
                                        "div.full",
                                        "add.ftz",
                                        "mul.ftz",
                                        "fma.ftz",
                                        "max.ftz",
                                        "neg.ftz",
                                        "rcp.ftz",
                                        "sqrt.ftz",
                                        "setp.ftz"};

/// Subnormal numbers as zeros of their sign.
static float flushed(float x) {
    return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0F, x) : x;
}

static void check_single() {
    const std::vector<float> values = edges<float>();
    const int n = static_cast<int>(values.size());
    float *in = managed(values), *out = managed(std::vector<float>(n * n * single_count));
    of_single<<<n, n>>>(in, out);
    wait_for_device();
    const auto unit = [](float x) { return x > 0 ? x < 1 ? x : 1.0F : 0.0F; };
    for (int i = 0; i < n * n; ++i) {
        const float a = values[i / n], b = values[i % n], c = values[(i % n + 5) % n];
        const float x = flushed(a), y = flushed(b), z = flushed(c);
        const double wide_a = a;
        const float want[] = {unit(a + b),
                              unit(a - b),
                              unit(a * b),
                              unit(std::fma(a, b, c)),
                              a + 0.25F,
                              a * 0.375F,
                              1 / a,
                              std::sqrt(a),
                              static_cast<float>(1 / std::sqrt(wide_a)),
                              static_cast<float>(std::exp2(wide_a)),
                              static_cast<float>(std::log2(wide_a)),
                              static_cast<float>(std::tanh(wide_a)),
                              static_cast<float>(std::sin(wide_a)),
                              static_cast<float>(std::cos(wide_a)),
                              a / b,
                              a / b,
                              flushed(x + y),
                              flushed(x * y),
                              flushed(std::fma(x, y, z)),
                              -least(-x, -y),
                              -x,
                              flushed(1 / x),
                              std::sqrt(x),
                              x < y ? 1.0F : 2.0F};
        for (int k = 0; k < single_count; ++k) {
            const bool is_approximate = k >= 6 && k < 16;
            // Sines are good within a turn, quotients where the divisor is not too large.
            if ((k == 12 || k == 13) && std::fabs(a) > 8) continue;
            if ((k == 14 || k == 15) &&
                (std::fabs(b) > 8e37F || std::fabs(b) < 1.2e-38F || std::fabs(want[k]) < 1.2e-38F))
                continue;
            expect(single_names[k], a, b, c, out[i * single_count + k], want[k],
                   k == 11          ? 1e-3
                   : is_approximate ? 2e-6
                                    : 0);
        }
    }
    cudaFree(in), cudaFree(out);
}

__global__ void of_double(const double* in, double* out) {
    const double x = in[threadIdx.x];
    double* d = out + threadIdx.x * 3;
    asm("rsqrt.approx.f64 %0, %1;" : "=d"(d[0]) : "d"(x));
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(d[1]) : "d"(x));
    asm("{ .reg .f64 v; mov.f64 v, 0d3FF8000000000000; add.f64 %0, %1, v; }" : "=d"(d[2]) : "d"(x));
}
static void check_double() {
    const std::vector<double> values = edges<double>();
    const int n = static_cast<int>(values.size());
    double *in = managed(values), *out = managed(std::vector<double>(n * 3));
    of_double<<<1, n>>>(in, out);
    wait_for_device();
    for (int i = 0; i < n; ++i) {
        const double a = values[i];
        expect("rsqrt.approx.f64", a, 0.0, 0.0, out[3 * i], 1 / std::sqrt(a), 1e-6);
        if (std::isnormal(a) && std::isnormal(1 / a))
            expect("rcp.approx.f64", a, 0.0, 0.0, out[3 * i + 1], 1 / a, 2e-6);
        expect("add.f64 of a constant", a, 0.0, 0.0, out[3 * i + 2], a + 1.5);
    }
    cudaFree(in), cudaFree(out);
}

int main() {
    check_exact(exact_f32), check_exact(exact_f64);
    check_single(), check_double();
    return verdict();
}
