// Inline PTX on half and brain floats, one or two in a register: sums, products and fma against
// exact sums of integers that are rounded once, functions, and cvt from and to float.
#include <cstdio>

#include "ptx_operands.h"

// --- The formats ---------------------------------------------------------------------------------

struct half {
    static constexpr int fraction = 10, bias = 15;
    static constexpr const char* name = "f16";
};
struct brain {
    static constexpr int fraction = 7, bias = 127;
    static constexpr const char* name = "bf16";
};
template <class F>
static double number(u32 bits) {
    const int exponent = static_cast<int>(bits >> F::fraction & (2 * F::bias + 1));
    const int rest = static_cast<int>(bits & ((1U << F::fraction) - 1));
    double size = std::ldexp(exponent == 0 ? rest : rest + (1 << F::fraction),
                             (exponent == 0 ? 1 : exponent) - F::bias - F::fraction);
    if (exponent == 2 * F::bias + 1) size = rest == 0 ? INFINITY : NAN;
    return bits >> 15 & 1 ? -size : size;
}
/// The nearest number of the format to units * 2^exponent, ties to even.
template <class F>
static u32 rounded(wide units, int exponent) {
    if (units == 0) return 0;
    const u32 sign = units < 0 ? 0x8000 : 0;
    if (units < 0) units = -units;
    int top = -1;
    while (top < 126 && units >> (top + 1) != 0) ++top;
    const int smallest = 1 - F::bias - F::fraction;  // exponent of the last bit of the smallest
    int last = top + exponent - F::fraction;
    if (last < smallest) last = smallest;
    const int drop = last - exponent;
    wide kept = units;
    if (drop > 126) return sign;
    if (drop > 0) {
        const wide rest = units & ((wide(1) << drop) - 1), tie = wide(1) << (drop - 1);
        kept = units >> drop;
        if (rest > tie || (rest == tie && (kept & 1) != 0)) ++kept;
    } else {
        kept = units << -drop;
    }
    // A carry out of the fraction makes the exponent larger by itself.
    const wide all = kept + (wide(last - smallest) << F::fraction);
    const wide infinity = wide(2 * F::bias + 1) << F::fraction;
    return sign | static_cast<u32>(all < infinity ? all : infinity);
}
template <class F>
static u32 of_float(float x) {
    if (x != x) return 0x7fff;
    if (std::isinf(x)) return (x < 0 ? 0x8000U : 0) | (2 * F::bias + 1) << F::fraction;
    int exponent;
    const wide units = static_cast<wide>(std::ldexp(std::frexp(x, &exponent), 24));
    return rounded<F>(units, exponent - 24) | (std::signbit(x) ? 0x8000U : 0);
}
template <class F>
static void expect(const char* what, u32 a, u32 b, u32 c, u32 got, u32 want, double relative = 0) {
    const double x = number<F>(got & 0xffff), y = number<F>(want);
    if (!fails(got == want || (x != x && y != y) || std::fabs(x - y) <= relative * std::fabs(y)))
        return;
    std::printf("%s.%s of %x, %x, %x: %x, must be %x\n", what, F::name, a, b, c, got, want);
}

// --- Instructions --------------------------------------------------------------------------------

constexpr int count = 10;
constexpr const char* names[count] = {"add", "sub", "mul", "fma", "min",
                                      "max", "abs", "neg", "ex2", "tanh"};
#define NARROW(name, T, t, add, ex2, S, D)                                                    \
    __global__ void name(const u32* in, u32* out) {                                           \
        const u32* v = in + 3 * threadIdx.x;                                                  \
        const T x = static_cast<T>(v[0]), y = static_cast<T>(v[1]), z = static_cast<T>(v[2]); \
        T d[count];                                                                           \
        asm("add" add "." t " %0, %1, %2;" : D(d[0]) : S(x), S(y));                           \
        asm("sub" add "." t " %0, %1, %2;" : D(d[1]) : S(x), S(y));                           \
        asm("mul" add "." t " %0, %1, %2;" : D(d[2]) : S(x), S(y));                           \
        asm("fma.rn." t " %0, %1, %2, %3;" : D(d[3]) : S(x), S(y), S(z));                     \
        asm("min." t " %0, %1, %2;" : D(d[4]) : S(x), S(y));                                  \
        asm("max." t " %0, %1, %2;" : D(d[5]) : S(x), S(y));                                  \
        asm("abs." t " %0, %1;" : D(d[6]) : S(x));                                            \
        asm("neg." t " %0, %1;" : D(d[7]) : S(x));                                            \
        asm("ex2.approx." ex2 " %0, %1;" : D(d[8]) : S(x));                                   \
        asm("tanh.approx." t " %0, %1;" : D(d[9]) : S(x));                                    \
        for (int k = 0; k < count; ++k) out[threadIdx.x * count + k] = d[k];                  \
    }
NARROW(one_half, u16, "f16", "", "f16", "h", "=h")
NARROW(two_halves, u32, "f16x2", ".rn", "f16x2", "r", "=r")
NARROW(one_brain, u16, "bf16", ".rn", "ftz.bf16", "h", "=h")
NARROW(two_brains, u32, "bf16x2", "", "ftz.bf16x2", "r", "=r")

/// What they give for one element of each.
template <class F>
static void check_element(u32 a, u32 b, u32 c, const u32* got, int shift) {
    const double x = number<F>(a), y = number<F>(b), z = number<F>(c);
    // All numbers here are whole multiples of this.
    constexpr int unit = F::bias == 15 ? -24 : -32;
    const auto units = [](double v) { return static_cast<wide>(std::ldexp(v, -unit)); };
    const bool is_finite = std::isfinite(x) && std::isfinite(y) && std::isfinite(z);
    const auto made = [&](int k) { return got[k] >> shift & 0xffff; };
    if (is_finite) {
        const auto sum = [&](const char* what, int k, wide v, int exponent, bool zero_sign) {
            expect<F>(what, a, b, c, made(k),
                      rounded<F>(v, exponent) | (v == 0 && zero_sign ? 0x8000U : 0));
        };
        sum("add", 0, units(x) + units(y), unit, std::signbit(x + y));
        sum("sub", 1, units(x) - units(y), unit, std::signbit(x - y));
        sum("mul", 2, units(x) * units(y), 2 * unit, std::signbit(x * y));
        sum("fma", 3, units(x) * units(y) + (units(z) << -unit), 2 * unit,
            std::signbit(std::fma(x, y, z)));
    }
    if (x != 0 || y != 0) {
        expect<F>("min", a, b, c, made(4), x != x || y < x ? b : a);
        expect<F>("max", a, b, c, made(5), x != x || y > x ? b : a);
    }
    if (x == x) {
        expect<F>("abs", a, b, c, made(6), a & 0x7fff);
        expect<F>("neg", a, b, c, made(7), a ^ 0x8000);
        const double step = std::ldexp(1, -F::fraction);
        if (std::fabs(x) < 14)
            expect<F>("ex2", a, b, c, made(8), of_float<F>(static_cast<float>(std::exp2(x))),
                      2 * step);
        expect<F>("tanh", a, b, c, made(9), of_float<F>(static_cast<float>(std::tanh(x))),
                  2 * step);
    }
}

template <class F>
static void check(void (*kernel)(const u32*, u32*), int elements) {
    constexpr int cases = 1000;
    u32 *in, *out, state = 2463534242;
    cudaMallocManaged(&in, 3 * cases * sizeof *in);
    cudaMallocManaged(&out, count * cases * sizeof *out);
    constexpr u32 one = F::bias << F::fraction, infinity = (2 * F::bias + 1) << F::fraction;
    const auto next = [&] {
        state = state * 1664525 + 1013904223;
        const u32 r = state >> 8, sign = r & 0x8000;
        const u32 edges[] = {0, 1, one, one + 1, infinity, infinity + 1, infinity - 1, one - 1};
        if (r >> 20 == 0) return edges[r & 7] | sign;
        // Exponents from -12 to 3, so that sums have ties, and products are not lost.
        return (one + ((r >> 12 & 15) << F::fraction) - (12U << F::fraction)) |
               (r & ((1U << F::fraction) - 1)) | sign;
    };
    for (int i = 0; i < 3 * cases; ++i) in[i] = next() | next() << 16;
    if (F::bias == 127)
        for (int i = 0; i < 3 * cases; ++i)
            for (const int shift :
                 {0, 16})  // the smallest and the largest are no multiples of the unit
                if (const u32 e = in[i] >> shift & 0x7fff; e == 1 || e == infinity - 1)
                    in[i] ^= e << shift;
    kernel<<<1, cases>>>(in, out);
    wait_for_device();
    for (int i = 0; i < cases; ++i)
        for (int k = 0; k < elements; ++k) {
            const u32* v = in + 3 * i;
            const int s = 16 * k;
            check_element<F>(v[0] >> s & 0xffff, v[1] >> s & 0xffff, v[2] >> s & 0xffff,
                             out + i * count, s);
        }
    cudaFree(in), cudaFree(out);
}

// --- Conversions ---------------------------------------------------------------------------------

/// All numbers to floats; floats to numbers, alone and the first one above the second.
__global__ void widen(u32* out) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    float f, g;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(static_cast<u16>(i)));
    asm("cvt.f32.bf16 %0, %1;" : "=f"(g) : "h"(static_cast<u16>(i)));
    out[2 * i] = __float_as_uint(f), out[2 * i + 1] = __float_as_uint(g);
}
__global__ void narrow(const float* in, u32* out) {
    const float x = in[threadIdx.x], y = in[(threadIdx.x + 1) % blockDim.x];
    u32* d = out + threadIdx.x * 5;
    u16 h, b;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(b) : "f"(x));
    d[0] = h, d[1] = b;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(d[2]) : "f"(x), "f"(y));
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(d[3]) : "f"(x), "f"(y));
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(d[4]) : "f"(x));
}
static void check_conversions() {
    u32* out = managed<u32>(2 * 65536);
    widen<<<256, 256>>>(out);
    wait_for_device();
    const auto same = [](u32 got, double want) {
        float f;
        std::memcpy(&f, &got, sizeof f);
        return (f == want && std::signbit(f) == std::signbit(want)) || (f != f && want != want);
    };
    for (u32 i = 0; i < 65536; ++i)
        if (fails(same(out[2 * i], number<half>(i)) && same(out[2 * i + 1], number<brain>(i))))
            std::printf("widened %x: %x, %x\n", i, out[2 * i], out[2 * i + 1]);
    std::vector<float> values = {0,
                                 -0.0F,
                                 1e-8F,
                                 2.98023223876953125e-8F,
                                 2.9802326e-8F,
                                 6.1e-5F,
                                 65504,
                                 65519.99F,
                                 65520,
                                 1e30F,
                                 3.4e38F,
                                 INFINITY,
                                 -INFINITY,
                                 NAN,
                                 1e-40F,
                                 1e-39F,
                                 -2049,
                                 2051,
                                 257,
                                 259,
                                 1.00048828125F,
                                 1.00146484375F};
    u32 state = 88172645;
    while (values.size() < 512) {
        state = state * 1664525 + 1013904223;
        const int place = static_cast<int>(values.size() % 52) - 28;
        values.push_back(std::ldexp(
            static_cast<float>(static_cast<std::int32_t>(state)) / 2147483648.0F, place));
    }
    const int n = static_cast<int>(values.size());
    float* in = managed<float>(n);
    std::memcpy(in, values.data(), n * sizeof *in);
    narrow<<<1, n>>>(in, out);
    wait_for_device();
    for (int i = 0; i < n; ++i) {
        const u32* got = out + 5 * i;
        u32 bits, next_half = of_float<half>(values[(i + 1) % n]),
                  next_brain = of_float<brain>(values[(i + 1) % n]);
        std::memcpy(&bits, &values[i], sizeof bits);
        const u32 h = of_float<half>(values[i]), b = of_float<brain>(values[i]);
        expect<half>("cvt", bits, 0, 0, got[0], h), expect<brain>("cvt", bits, 0, 0, got[1], b);
        expect<half>("upper", bits, 0, 0, got[2] >> 16, h),
            expect<half>("lower", bits, 0, 0, got[2] & 0xffff, next_half);
        expect<brain>("upper", bits, 0, 0, got[3] >> 16, b),
            expect<brain>("lower", bits, 0, 0, got[3] & 0xffff, next_brain);
        // tf32: 10 bits of the fraction, ties away from zero.
        const bool is_special = (bits & 0x7f800000) == 0x7f800000;
        if (!is_special && (got[4] & ~0x1fffU) != ((bits + 0x1000) & ~0x1fffU))
            expect<half>("tf32", bits, 0, 0, got[4], 0);
    }
    cudaFree(in), cudaFree(out);
}

/// (1 + 2^-10) (2^-11 - 2^-21) is a little less than 2^-11, half a unit of 1 + 2^-10; and a tie of
/// brain floats, 1.5 (1 + 2^-7), less 2^-40.
__global__ void ties(u32* out) {
    asm("fma.rn.f16x2 %0, %1, %2, %3;"
        : "=r"(out[0])
        : "r"(0x3c013c01), "r"(0x0ffe0ffe), "r"(0x3c013c01));
    asm("fma.rn.bf16x2 %0, %1, %2, %3;"
        : "=r"(out[1])
        : "r"(0x3f813f81), "r"(0x3fc03fc0), "r"(0xab80ab80));
}

int main() {
    check<half>(one_half, 1), check<half>(two_halves, 2);
    check<brain>(one_brain, 1), check<brain>(two_brains, 2);
    check_conversions();
    u32* out = managed<u32>(2);
    ties<<<1, 1>>>(out);
    wait_for_device();
    expect<half>("a tie", 0, 0, 0, out[0], 0x3c013c01);
    expect<brain>("a tie", 0, 0, 0, out[1], 0x3fc13fc1);
    cudaFree(out);
    return verdict();
}
