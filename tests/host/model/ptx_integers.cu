// Inline PTX that computes with integers of 16, 32 and 64 bits, with edge values of every type and
// with carries, against plain C++ on the host.
#include "ptx_operands.h"

// --- Instructions, for a type --------------------------------------------------------------------

// A divisor is neither 0 nor -1: those have no result that the manual gives.
#define OF_TYPE(name, T, t, b, S, D)                                                               \
    __global__ void name(const T* in, T* out) {                                                    \
        const T x = in[3 * threadIdx.x], y = in[3 * threadIdx.x + 1], z = in[3 * threadIdx.x + 2]; \
        const u32 n = static_cast<u32>(y), m = static_cast<u32>(z);                                \
        T* d = out + threadIdx.x * count;                                                          \
        asm("add." t " %0, %1, %2;" : D(d[0]) : S(x), S(y));                                       \
        asm("sub." t " %0, %1, %2;" : D(d[1]) : S(x), S(y));                                       \
        asm("mul.lo." t " %0, %1, %2;" : D(d[2]) : S(x), S(y));                                    \
        asm("mul.hi." t " %0, %1, %2;" : D(d[3]) : S(x), S(y));                                    \
        asm("mad.lo." t " %0, %1, %2, %3;" : D(d[4]) : S(x), S(y), S(z));                          \
        asm("mad.hi." t " %0, %1, %2, %3;" : D(d[5]) : S(x), S(y), S(z));                          \
        asm("{ .reg ." t " v; and." b " v, %2, -5; or." b " v, v, 1; div." t " %0, %1, v; }"       \
            : D(d[6])                                                                              \
            : S(x), S(y));                                                                         \
        asm("{ .reg ." t " v; and." b " v, %2, -5; or." b " v, v, 1; rem." t " %0, %1, v; }"       \
            : D(d[7])                                                                              \
            : S(x), S(y));                                                                         \
        asm("min." t " %0, %1, %2;" : D(d[8]) : S(x), S(y));                                       \
        asm("max." t " %0, %1, %2;" : D(d[9]) : S(x), S(y));                                       \
        asm("sad." t " %0, %1, %2, %3;" : D(d[10]) : S(x), S(y), S(z));                            \
        asm("shr." t " %0, %1, %2;" : D(d[11]) : S(x), "r"(n));                                    \
        asm("shr." b " %0, %1, %2;" : D(d[12]) : S(x), "r"(n));                                    \
        asm("shl." b " %0, %1, %2;" : D(d[13]) : S(x), "r"(n));                                    \
        asm("and." b " %0, %1, %2;" : D(d[14]) : S(x), S(y));                                      \
        asm("or." b " %0, %1, %2;" : D(d[15]) : S(x), S(y));                                       \
        asm("xor." b " %0, %1, %2;" : D(d[16]) : S(x), S(y));                                      \
        asm("not." b " %0, %1;" : D(d[17]) : S(x));                                                \
        asm("cnot." b " %0, %1;" : D(d[18]) : S(x));                                               \
        asm("{ .reg .pred p; setp.hi.u32 p, %3, 31; selp." t " %0, %1, %2, p; }"                   \
            : D(d[19])                                                                             \
            : S(x), S(y), "r"(m));                                                                 \
        asm("slct." t ".s32 %0, %1, %2, %3;" : D(d[20]) : S(x), S(y), "r"(m));                     \
        asm("slct." b ".f32 %0, %1, %2, %3;" : D(d[21]) : S(x), S(y), "f"(__uint_as_float(m)));    \
    }
constexpr int count = 22;
constexpr const char* names[count] = {"add",    "sub",   "mul.lo",   "mul.hi",  "mad.lo", "mad.hi",
                                      "div",    "rem",   "min",      "max",     "sad",    "shr",
                                      "shr.b",  "shl.b", "and.b",    "or.b",    "xor.b",  "not.b",
                                      "cnot.b", "selp",  "slct.s32", "slct.f32"};
OF_TYPE(of_u16, u16, "u16", "b16", "h", "=h")
OF_TYPE(of_s16, s16, "s16", "b16", "h", "=h")
OF_TYPE(of_u32, u32, "u32", "b32", "r", "=r")
OF_TYPE(of_s32, s32, "s32", "b32", "r", "=r")
OF_TYPE(of_u64, u64, "u64", "b64", "l", "=l")
OF_TYPE(of_s64, s64, "s64", "b64", "l", "=l")

// Signed integers alone.
#define SIGNED(name, T, t, S, D)                                       \
    __global__ void name(const T* in, T* out) {                        \
        const T x = in[3 * threadIdx.x];                               \
        asm("abs." t " %0, %1;" : D(out[2 * threadIdx.x]) : S(x));     \
        asm("neg." t " %0, %1;" : D(out[2 * threadIdx.x + 1]) : S(x)); \
    }
constexpr const char* signed_names[2] = {"abs", "neg"};
SIGNED(signs_of_s16, s16, "s16", "h", "=h")
SIGNED(signs_of_s32, s32, "s32", "r", "=r")
SIGNED(signs_of_s64, s64, "s64", "l", "=l")

// Products of twice the width, and the flag of carries.
#define WIDE(name, T, W, t, S, SW, DW)                                                            \
    __global__ void name(const T* in, W* out) {                                                   \
        const T x = in[3 * threadIdx.x], y = in[3 * threadIdx.x + 1];                             \
        const W z = static_cast<W>(in[3 * threadIdx.x + 2]);                                      \
        asm("mul.wide." t " %0, %1, %2;" : DW(out[2 * threadIdx.x]) : S(x), S(y));                \
        asm("mad.wide." t " %0, %1, %2, %3;" : DW(out[2 * threadIdx.x + 1]) : S(x), S(y), SW(z)); \
    }
WIDE(wide_u16, u16, u32, "u16", "h", "r", "=r")
WIDE(wide_s16, s16, s32, "s16", "h", "r", "=r")
WIDE(wide_u32, u32, u64, "u32", "r", "l", "=l")
WIDE(wide_s32, s32, s64, "s32", "r", "l", "=l")

/// Chains of two registers and what the flag is behind them.
#define CARRIES(name, T, t, S, D)                                                                  \
    __global__ void name(const T* in, T* out) {                                                    \
        const T x = in[3 * threadIdx.x], y = in[3 * threadIdx.x + 1], z = in[3 * threadIdx.x + 2]; \
        T* d = out + threadIdx.x * carry_count;                                                    \
        asm("add.cc." t " %0, %3, %4; addc.cc." t " %1, %4, %5; addc." t " %2, 0, 0;"              \
            : D(d[0]), D(d[1]), D(d[2])                                                            \
            : S(x), S(y), S(z));                                                                   \
        asm("sub.cc." t " %0, %3, %4; subc.cc." t " %1, %4, %5; subc." t " %2, 0, 0;"              \
            : D(d[3]), D(d[4]), D(d[5])                                                            \
            : S(x), S(y), S(z));                                                                   \
        asm("mad.lo.cc." t " %0, %3, %4, %5; madc.hi.cc." t " %1, %3, %4, %5; addc." t             \
            " %2, 0, 0;"                                                                           \
            : D(d[6]), D(d[7]), D(d[8])                                                            \
            : S(x), S(y), S(z));                                                                   \
        asm("mad.hi.cc." t " %0, %3, %4, %5; madc.lo.cc." t " %1, %3, %4, %5; madc.hi." t          \
            " %2, %3, %4, 0;"                                                                      \
            : D(d[9]), D(d[10]), D(d[11])                                                          \
            : S(x), S(y), S(z));                                                                   \
        asm("{ .reg ." t " v; add.cc." t " v, %1, %2; madc.lo." t " %0, %2, %3, %1; }"             \
            : D(d[12])                                                                             \
            : S(x), S(y), S(z));                                                                   \
    }
constexpr int carry_count = 13;
CARRIES(carries_u32, u32, "u32", "r", "=r")
CARRIES(carries_s32, s32, "s32", "r", "=r")
CARRIES(carries_u64, u64, "u64", "l", "=l")
CARRIES(carries_s64, s64, "s64", "l", "=l")

// --- What the manual's pseudo-code gives ---------------------------------------------------------

template <class T>
static T high(T a, T b) {
    return static_cast<T>(wide(a) * wide(b) >> (8 * sizeof(T)));
}
static u64 high(u64 a, u64 b) { return static_cast<u64>(unsigned_wide(a) * b >> 64); }
template <class T>
static wide distance(T a, T b) {
    return a < b ? wide(b) - a : wide(a) - b;
}
template <class T>
static T left(T a, u32 by) {
    return by >= 8 * sizeof(T) ? 0 : static_cast<T>(a << by);
}
template <class T>
static T right(T a, u32 by) {
    return by >= 8 * sizeof(T) ? static_cast<T>(a < 0 ? -1 : 0) : static_cast<T>(a >> by);
}
// --- Checks --------------------------------------------------------------------------------------

template <class T, class U = std::make_unsigned_t<T>>
static void check_type(const char* type, void (*kernel)(const T*, T*)) {
    check(type, kernel, names, count, [](T a, T b, T c) -> std::vector<T> {
        const u32 n = static_cast<u32>(b), m = static_cast<u32>(c);
        const unsigned_wide x = U(a), y = U(b), z = U(c);
        const T divisor = static_cast<T>((b & -5) | 1);
        float selector;
        std::memcpy(&selector, &m, sizeof m);
        return {T(x + y),
                T(x - y),
                T(x * y),
                high(a, b),
                T(x * y + z),
                T(U(high(a, b)) + z),
                T(a / divisor),
                T(a % divisor),
                a < b ? a : b,
                a < b ? b : a,
                T(distance(a, b) + z),
                right(a, n),
                T(right(U(a), n)),
                T(left(U(a), n)),
                T(a & b),
                T(a | b),
                T(a ^ b),
                T(~a),
                T(a == 0),
                m > 31 ? a : b,
                s32(m) >= 0 ? a : b,
                selector >= 0 ? a : b};
    });
}
template <class T, class U = std::make_unsigned_t<T>>
static void check_signs(const char* type, void (*kernel)(const T*, T*)) {
    check(type, kernel, signed_names, 2, [](T a, T, T) -> std::vector<T> {
        return {a < 0 ? T(0 - U(a)) : a, T(0 - U(a))};
    });
}
template <class T, class W>
static void check_wide(const char* type, void (*kernel)(const T*, W*)) {
    constexpr const char* what[] = {"mul.wide", "mad.wide"};
    check(type, kernel, what, 2, [](T a, T b, T c) -> std::vector<W> {
        return {W(wide(a) * b), W(wide(a) * b + W(c))};
    });
}
template <class T, class U = std::make_unsigned_t<T>>
static void check_carries(const char* type, void (*kernel)(const T*, T*)) {
    constexpr const char* what[] = {"add.cc",    "addc.cc",    "addc",
                                    "sub.cc",    "subc.cc",    "subc",
                                    "mad.lo.cc", "madc.hi.cc", "addc behind madc.hi.cc",
                                    "mad.hi.cc", "madc.lo.cc", "madc.hi",
                                    "madc.lo"};
    check(type, kernel, what, carry_count, [](T a, T b, T c) -> std::vector<T> {
        constexpr int width = 8 * sizeof(T);
        const unsigned_wide x = U(a), y = U(b), z = U(c), lo = U(x * y), hi = U(high(a, b));
        const unsigned_wide sum = x + y, next = y + z + (sum >> width);
        const bool borrows = x < y, again = y < z + borrows;
        const unsigned_wide low = lo + z, upper = hi + z + (low >> width);
        const unsigned_wide first = hi + z, second = lo + z + (first >> width);
        return {T(sum),
                T(next),
                T(next >> width),
                T(x - y),
                T(y - z - borrows),
                T(again ? -1 : 0),
                T(low),
                T(upper),
                T(upper >> width),
                T(first),
                T(second),
                T(hi + (second >> width)),
                T(U(y * z) + x + (sum >> width))};
    });
}

int main() {
    check_type("u16", of_u16), check_type("s16", of_s16), check_type("u32", of_u32);
    check_type("s32", of_s32), check_type("u64", of_u64), check_type("s64", of_s64);
    check_signs("s16", signs_of_s16), check_signs("s32", signs_of_s32),
        check_signs("s64", signs_of_s64);
    check_wide("u16", wide_u16), check_wide("s16", wide_s16), check_wide("u32", wide_u32),
        check_wide("s32", wide_s32);
    check_carries("u32", carries_u32), check_carries("s32", carries_s32);
    check_carries("u64", carries_u64), check_carries("s64", carries_s64);
    return verdict();
}
