// Inline PTX on bits, bytes and parts of words, with edge values, against plain C++ on the host and
// the manual's pseudo-code.
#include <utility>

#include "ptx_operands.h"

// Of 32 and 64 bits.
#define BITS(name, T, sign, b, S, D)                                                      \
    __global__ void name(const T* in, T* out) {                                           \
        const T x = in[3 * threadIdx.x], y = in[3 * threadIdx.x + 1];                     \
        const u32 n = static_cast<u32>(y), m = static_cast<u32>(in[3 * threadIdx.x + 2]); \
        T* d = out + threadIdx.x * bit_count;                                             \
        u32 found[4];                                                                     \
        asm("bfe." sign " %0, %1, %2, %3;" : D(d[0]) : S(x), "r"(n), "r"(m));             \
        asm("bfi." b " %0, %1, %2, %3, 9;" : D(d[1]) : S(x), S(y), "r"(m));               \
        asm("bfi." b " %0, %1, %2, 5, %3;" : D(d[2]) : S(x), S(y), "r"(m));               \
        asm("brev." b " %0, %1;" : D(d[3]) : S(x));                                       \
        asm("bfind." sign " %0, %1;" : "=r"(found[0]) : S(x));                            \
        asm("popc." b " %0, %1;" : "=r"(found[1]) : S(x));                                \
        asm("clz." b " %0, %1;" : "=r"(found[2]) : S(x));                                 \
        for (int i = 0; i < 3; ++i) d[4 + i] = static_cast<T>(found[i]);                  \
    }
constexpr int bit_count = 7;
constexpr const char* bit_names[bit_count] = {"bfe",   "bfi to 9", "bfi to 5", "brev",
                                              "bfind", "popc",     "clz"};
BITS(bits_of_u32, u32, "u32", "b32", "r", "=r")
BITS(bits_of_s32, s32, "s32", "b32", "r", "=r")
BITS(bits_of_u64, u64, "u64", "b64", "l", "=l")
BITS(bits_of_s64, s64, "s64", "b64", "l", "=l")

// --- What the manual gives -----------------------------------------------------------------------

template <class T>
static T clamped(wide x) {
    using limits = std::numeric_limits<T>;
    return static_cast<T>(x < limits::min()   ? limits::min()
                          : x > limits::max() ? limits::max()
                                              : x);
}
template <class T>
static int leading(T a) {
    int n = 0;
    for (int i = 8 * sizeof(T) - 1; i >= 0 && (a >> i & 1) == 0; --i) ++n;
    return n;
}
template <class T>
static int ones(T a) {
    int n = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i) n += static_cast<int>(a >> i & 1);
    return n;
}
template <class T>
static T turned(T a) {
    T made = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i)
        made |= static_cast<T>((a >> i & 1) << (8 * sizeof(T) - 1 - i));
    return made;
}
template <class T>
static u32 found(T a) {
    constexpr int top = 8 * sizeof(T) - 1;
    for (int i = top; i >= 0; --i)
        if ((a >> i & 1) != (a < 0)) return static_cast<u32>(i);
    return ~0U;
}
template <class T>
static T field(T a, u32 position, u32 length) {
    constexpr u32 top = 8 * sizeof(T) - 1;
    const u32 p = position & 255, n = length & 255, last = p + n - 1 < top ? p + n - 1 : top;
    const bool is_signed = std::numeric_limits<T>::is_signed && n != 0;
    const u64 sign = is_signed ? static_cast<u64>(a) >> last & 1 : 0;
    u64 made = 0;
    for (u32 i = 0; i <= top; ++i)
        made |= (i < n && p + i <= top ? static_cast<u64>(a) >> (p + i) & 1 : sign) << i;
    return static_cast<T>(made);
}
template <class T>
static T inserted(T a, T b, u32 position, u32 length) {
    constexpr u32 width = 8 * sizeof(T);
    const u32 p = position & 255, n = length & 255;
    for (u32 i = 0; i < n && p + i < width; ++i)
        b = static_cast<T>((b & ~(T(1) << (p + i))) | (a >> i & 1) << (p + i));
    return b;
}

static u64 joined(u32 low, u32 high) { return u64(high) << 32 | low; }
/// The low 24 bits with their sign.
static s64 part(u32 a) { return s64(u64(a) << 40) >> 40; }
static u32 looked_up(u32 a, u32 b, u32 c, u32 table) {
    u32 made = 0;
    for (int i = 0; i < 32; ++i)
        made |= (table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
    return made;
}
static u32 permuted(u32 a, u32 b, u32 select) {
    u32 made = 0;
    for (int i = 0; i < 4; ++i) {
        const u32 n = select >> 4 * i & 15;
        const u8 byte = static_cast<u8>((u64(b) << 32 | a) >> 8 * (n & 7));
        made |= u32(n < 8 ? byte : byte > 127 ? 255 : 0) << 8 * i;
    }
    return made;
}
template <class A, class B>
static u32 dot(u32 a, u32 b, u32 c) {
    for (int i = 0; i < 32; i += 8)
        c += static_cast<u32>(int(static_cast<A>(a >> i)) * int(static_cast<B>(b >> i)));
    return c;
}
/// The function of each part of two words, cut or clamped to D; and their sum.
template <class D, class A, class B, class F>
static u32 lanes(u32 a, u32 b, bool clamps, F f) {
    constexpr int width = 8 * sizeof(D);
    u32 made = 0;
    for (int i = 0; i < 32; i += width) {
        const int value = f(int(static_cast<A>(a >> i)), int(static_cast<B>(b >> i)));
        const D part = clamps ? clamped<D>(value) : static_cast<D>(value);
        made |= u32(static_cast<std::make_unsigned_t<D>>(part)) << i;
    }
    return made;
}
template <class A, class B, class F>
static u32 sum(u32 a, u32 b, F f) {
    int made = 0;
    for (int i = 0; i < 32; i += 8 * sizeof(A))
        made += f(int(static_cast<A>(a >> i)), int(static_cast<B>(b >> i)));
    return static_cast<u32>(made);
}
static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static int apart(int a, int b) { return a < b ? b - a : a - b; }
static int least(int a, int b) { return a < b ? a : b; }
static int most(int a, int b) { return a < b ? b : a; }
/// Half of the sum, rounded away from zero.
static int mean(int a, int b) { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; }

// --- Words ---------------------------------------------------------------------------------------

/// The instruction that a line of the table below has.
template <int line>
struct instruction {
    static constexpr bool exists = false;
};
#define WORD(text, expression)                                                                    \
    template <>                                                                                   \
    struct instruction<__LINE__> {                                                                \
        static constexpr bool exists = true;                                                      \
        static constexpr const char* name = text;                                                 \
        static __device__ u32 run(u32 a, u32 b, u32 c) {                                          \
            u32 d;                                                                                \
            asm volatile(text : "=r"(d) : "r"(a), "r"(b), "r"(c));                                \
            return d;                                                                             \
        }                                                                                         \
        static u32 want([[maybe_unused]] u32 a, [[maybe_unused]] u32 b, [[maybe_unused]] u32 c) { \
            return static_cast<u32>(expression);                                                  \
        }                                                                                         \
    };
constexpr int first_line = __LINE__;
WORD("add.sat.s32 %0, %1, %2;", clamped<s32>(wide(s32(a)) + s32(b)))
WORD("sub.sat.s32 %0, %1, %2;", clamped<s32>(wide(s32(a)) - s32(b)))
WORD("mul24.lo.s32 %0, %1, %2;", part(a) * part(b))
WORD("mul24.lo.u32 %0, %1, %2;", u64(a & 0xffffff) * (b & 0xffffff))
WORD("mad24.lo.s32 %0, %1, %2, %3;", part(a) * part(b) + c)
WORD("mad24.lo.u32 %0, %1, %2, %3;", u64(a & 0xffffff) * (b & 0xffffff) + c)
WORD("dp4a.u32.u32 %0, %1, %2, %3;", (dot<u8, u8>(a, b, c)))
WORD("dp4a.u32.s32 %0, %1, %2, %3;", (dot<u8, s8>(a, b, c)))
WORD("dp4a.s32.u32 %0, %1, %2, %3;", (dot<s8, u8>(a, b, c)))
WORD("dp4a.s32.s32 %0, %1, %2, %3;", (dot<s8, s8>(a, b, c)))
WORD("lop3.b32 %0, %1, %2, %3, 0x96;", looked_up(a, b, c, 0x96))
WORD("lop3.b32 %0, %1, %2, %3, 0x2d;", looked_up(a, b, c, 0x2d))
WORD("lop3.b32 %0, %1, %2, %3, 0xca;", looked_up(a, b, c, 0xca))
WORD("prmt.b32 %0, %1, %2, %3;", permuted(a, b, c))
WORD("shf.l.wrap.b32 %0, %1, %2, %3;", joined(a, b) << (c & 31) >> 32)
WORD("shf.l.clamp.b32 %0, %1, %2, %3;", c > 31 ? a : joined(a, b) << c >> 32)
WORD("shf.r.wrap.b32 %0, %1, %2, %3;", joined(a, b) >> (c & 31))
WORD("shf.r.clamp.b32 %0, %1, %2, %3;", c > 31 ? b : joined(a, b) >> c)
WORD("{ .reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {h, l}; }", a << 16 | a >> 16)
WORD("{ .reg .b64 w; mov.b64 w, {%1, %2}; shr.u64 w, w, 12; mov.b64 {%0, _}, w; }",
     joined(a, b) >> 12)
WORD(
    "{ .reg .b16 i, j, k, l; .reg .b64 w; mov.b64 w, {%1, %2}; mov.b64 {i, j, k, l}, w; mov.b64 w, "
    "{l, i, k, j}; mov.b64 {%0, _}, w; }",
    b >> 16 | a << 16)
WORD("vadd2.s32.s32.s32 %0, %1, %2, %3;", (lanes<s16, s16, s16>(a, b, false, plus)))
WORD("vadd2.s32.s32.u32 %0, %1, %2, %3;", (lanes<s16, s16, u16>(a, b, false, plus)))
WORD("vadd4.u32.s32.u32.sat %0, %1, %2, %3;", (lanes<u8, s8, u8>(a, b, true, plus)))
WORD("vadd4.s32.u32.s32.add %0, %1, %2, %3;", (c + sum<u8, s8>(a, b, plus)))
WORD("vsub2.s32.u32.s32.sat %0, %1, %2, %3;", (lanes<s16, u16, s16>(a, b, true, minus)))
WORD("vsub2.s32.s32.s32 %0, %1, %2, %3;", (lanes<s16, s16, s16>(a, b, false, minus)))
WORD("vsub4.s32.s32.u32 %0, %1, %2, %3;", (lanes<s8, s8, u8>(a, b, false, minus)))
WORD("vsub4.u32.s32.u32.sat %0, %1, %2, %3;", (lanes<u8, s8, u8>(a, b, true, minus)))
WORD("vabsdiff2.s32.u32.s32.add %0, %1, %2, %3;", (c + sum<u16, s16>(a, b, apart)))
WORD("vabsdiff2.s32.u32.s32.sat %0, %1, %2, %3;", (lanes<s16, u16, s16>(a, b, true, apart)))
WORD("vabsdiff4.s32.s32.s32 %0, %1, %2, %3;", (lanes<s8, s8, s8>(a, b, false, apart)))
WORD("vabsdiff4.s32.s32.u32 %0, %1, %2, %3;", (lanes<s8, s8, u8>(a, b, false, apart)))
WORD("vmin2.u32.s32.u32.sat %0, %1, %2, %3;", (lanes<u16, s16, u16>(a, b, true, least)))
WORD("vmin2.s32.u32.s32.add %0, %1, %2, %3;", (c + sum<u16, s16>(a, b, least)))
WORD("vmin4.s32.u32.s32.sat %0, %1, %2, %3;", (lanes<s8, u8, s8>(a, b, true, least)))
WORD("vmin4.s32.s32.s32 %0, %1, %2, %3;", (lanes<s8, s8, s8>(a, b, false, least)))
WORD("vmax2.s32.s32.u32 %0, %1, %2, %3;", (lanes<s16, s16, u16>(a, b, false, most)))
WORD("vmax2.u32.s32.u32.sat %0, %1, %2, %3;", (lanes<u16, s16, u16>(a, b, true, most)))
WORD("vmax4.s32.u32.s32.add %0, %1, %2, %3;", (c + sum<u8, s8>(a, b, most)))
WORD("vmax4.s32.u32.s32.sat %0, %1, %2, %3;", (lanes<s8, u8, s8>(a, b, true, most)))
WORD("vavrg2.s32.s32.s32 %0, %1, %2, %3;", (lanes<s16, s16, s16>(a, b, false, mean)))
WORD("vavrg2.s32.s32.u32 %0, %1, %2, %3;", (lanes<s16, s16, u16>(a, b, false, mean)))
WORD("vavrg4.u32.s32.u32.sat %0, %1, %2, %3;", (lanes<u8, s8, u8>(a, b, true, mean)))
WORD("vavrg4.s32.u32.s32.add %0, %1, %2, %3;", (c + sum<u8, s8>(a, b, mean)))
constexpr int lines = __LINE__ - first_line;

template <int line>
__device__ void run_line(const u32* v, u32* out) {
    if constexpr (instruction<line>::exists)
        out[line - first_line] = instruction<line>::run(v[0], v[1], v[2]);
}
template <int... line>
__global__ void run_lines(const u32* in, u32* out, std::integer_sequence<int, line...>) {
    (run_line<first_line + line>(in + 3 * threadIdx.x, out + lines * threadIdx.x), ...);
}
template <int line>
static void check_line(const u32* v, const u32* out) {
    if constexpr (instruction<line>::exists) {
        using made = instruction<line>;
        expect("", made::name, v[0], v[1], v[2], out[line - first_line],
               made::want(v[0], v[1], v[2]));
    }
}
template <int... line>
static void check_lines(std::integer_sequence<int, line...> all) {
    const std::vector<u32> values = operands<u32>();
    const int cases = static_cast<int>(values.size() / 3);
    u32 *in = managed<u32>(values.size()), *out = managed<u32>(cases * lines);
    for (std::size_t i = 0; i < values.size(); ++i) in[i] = values[i];
    run_lines<<<1, cases>>>(in, out, all);
    wait_for_device();
    for (int i = 0; i < cases; ++i)
        (check_line<first_line + line>(&values[3 * i], out + lines * i), ...);
}

// --- Checks --------------------------------------------------------------------------------------

template <class T, class U = std::make_unsigned_t<T>>
static void check_bits(const char* type, void (*kernel)(const T*, T*)) {
    check(type, kernel, bit_names, bit_count, [](T a, T b, T c) -> std::vector<T> {
        const u32 n = static_cast<u32>(b), m = static_cast<u32>(c);
        return {field(a, n, m),
                T(inserted(U(a), U(b), m, 9)),
                T(inserted(U(a), U(b), 5, m)),
                T(turned(U(a))),
                T(found(a)),
                T(ones(U(a))),
                T(leading(U(a)))};
    });
}

int main() {
    check_bits("u32", bits_of_u32), check_bits("s32", bits_of_s32);
    check_bits("u64", bits_of_u64), check_bits("s64", bits_of_s64);
    check_lines(std::make_integer_sequence<int, lines>());
    return verdict();
}
