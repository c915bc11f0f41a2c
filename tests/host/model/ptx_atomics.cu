// Inline PTX: atom and red with every operation, type, order and scope, and cp.async with all sizes
// and what it fills with zeros, against plain C++ on the host.
#include <utility>

#include "ptx_operands.h"

// --- One operation of one thread -----------------------------------------------------------------

/// The operation that a line of the table below has; u64 are bits.
template <int line>
struct operation {
    static constexpr bool exists = false;
};
// atom, in global, shared and generic memory and with orders and scopes; red, but of exch.
#define ATOMIC(T, S, D, op, t, red, expression)                                              \
    template <>                                                                              \
    struct operation<__LINE__> {                                                             \
        static constexpr bool exists = true;                                                 \
        static constexpr const char* name = op "." t;                                        \
        using type = T;                                                                      \
        static __device__ void run(T a, T b, T* cell, T* out) {                              \
            __shared__ T shared;                                                             \
            T old;                                                                           \
            u64 at;                                                                          \
            asm("cvta.to.shared.u64 %0, %1;" : "=l"(at) : "l"(&shared));                     \
            *cell = shared = a;                                                              \
            asm volatile("atom.global." op "." t " %0, [%1], %2;"                            \
                         : D(old)                                                            \
                         : "l"(cell), S(b)                                                   \
                         : "memory");                                                        \
            out[0] = old, out[1] = *cell, *cell = a;                                         \
            asm volatile("atom.shared." op "." t " %0, [%1], %2;"                            \
                         : D(old)                                                            \
                         : "l"(at), S(b)                                                     \
                         : "memory");                                                        \
            out[2] = old, out[3] = shared, shared = a;                                       \
            asm volatile("atom.acq_rel.gpu." op "." t " %0, [%1+0], %2;"                     \
                         : D(old)                                                            \
                         : "l"(&shared), S(b)                                                \
                         : "memory");                                                        \
            out[4] = old, out[5] = shared, shared = a;                                       \
            asm volatile("atom.relaxed.sys.global." op "." t " %0, [%1], %2;"                \
                         : D(old)                                                            \
                         : "l"(cell), S(b)                                                   \
                         : "memory");                                                        \
            out[6] = old, out[7] = *cell, *cell = a;                                         \
            asm volatile(red ".global." op "." t " [%0], %1;" ::"l"(cell), S(b) : "memory"); \
            out[8] = a, out[9] = *cell;                                                      \
            asm volatile(red ".release.cta.shared." op "." t " [%0], %1;" ::"l"(at), S(b)    \
                         : "memory");                                                        \
            out[10] = a, out[11] = shared;                                                   \
        }                                                                                    \
        static T want(T a, T b) { return static_cast<T>(expression); }                       \
    };
constexpr int first = __LINE__;
ATOMIC(u32, "r", "=r", "add", "u32", "red", a + b)
ATOMIC(s32, "r", "=r", "add", "s32", "red", u32(a) + b)
ATOMIC(u64, "l", "=l", "add", "u64", "red", a + b)
ATOMIC(float, "f", "=f", "add", "f32", "red", a + b)
ATOMIC(double, "d", "=d", "add", "f64", "red", a + b)
ATOMIC(u32, "r", "=r", "min", "u32", "red", b < a ? b : a)
ATOMIC(s32, "r", "=r", "min", "s32", "red", b < a ? b : a)
ATOMIC(u64, "l", "=l", "min", "u64", "red", b < a ? b : a)
ATOMIC(s64, "l", "=l", "min", "s64", "red", b < a ? b : a)
ATOMIC(u32, "r", "=r", "max", "u32", "red", a < b ? b : a)
ATOMIC(s32, "r", "=r", "max", "s32", "red", a < b ? b : a)
ATOMIC(u64, "l", "=l", "max", "u64", "red", a < b ? b : a)
ATOMIC(s64, "l", "=l", "max", "s64", "red", a < b ? b : a)
ATOMIC(u32, "r", "=r", "and", "b32", "red", a& b)
ATOMIC(u64, "l", "=l", "and", "b64", "red", a& b)
ATOMIC(u32, "r", "=r", "or", "b32", "red", a | b)
ATOMIC(u64, "l", "=l", "or", "b64", "red", a | b)
ATOMIC(u32, "r", "=r", "xor", "b32", "red", a ^ b)
ATOMIC(u64, "l", "=l", "xor", "b64", "red", a ^ b)
ATOMIC(u32, "r", "=r", "inc", "u32", "red", a >= b ? 0 : a + 1)
ATOMIC(u32, "r", "=r", "dec", "u32", "red", a == 0 || a > b ? b : a - 1)
constexpr int lines = __LINE__ - first;

template <class T>
static std::vector<T> pairs() {
    if constexpr (static_cast<T>(0.5) != 0)
        return {T(1.5), T(-0.25), T(1e20), T(-1e20), T(3), T(0.1)};
    else
        return {T(0),
                T(5),
                T(5),
                T(5),
                T(6),
                T(5),
                T(4),
                T(5),
                T(-1),
                T(1),
                T(-7),
                T(3),
                T(s64(1) << 31),
                T(-1),
                T(s64(1) << 63),
                T(1),
                T(0x5a5a12345678),
                T(0x3c3c0f0f0f0f)};
}
template <int line, class T>
__global__ void run(const T* in, T* cell, T* out) {
    operation<line>::run(in[2 * blockIdx.x], in[2 * blockIdx.x + 1], cell + blockIdx.x,
                         out + 12 * blockIdx.x);
}
template <int line>
static void check() {
    if constexpr (operation<line>::exists) {
        using T = typename operation<line>::type;
        const std::vector<T> values = pairs<T>();
        const int n = static_cast<int>(values.size() / 2);
        T *in = managed<T>(2 * n, 0), *cell = managed<T>(n, 0), *out = managed<T>(12 * n, 0);
        for (int i = 0; i < 2 * n; ++i) in[i] = values[i];
        run<line><<<n, 1>>>(in, cell, out);
        wait_for_device();
        const auto bits = [](T x) {
            u64 made = 0;
            std::memcpy(&made, &x, sizeof x);
            return made;
        };
        for (int i = 0; i < 12 * n; ++i) {
            const T a = values[i / 12 * 2], b = values[i / 12 * 2 + 1];
            expect(operation<line>::name, i, bits(out[i]),
                   bits(i % 2 == 0 ? a : operation<line>::want(a, b)));
        }
        cudaFree(in), cudaFree(cell), cudaFree(out);
    }
}
template <int... line>
static void check_all(std::integer_sequence<int, line...>) {
    (check<first + line>(), ...);
}

/// exch and cas have no red: what a cell holds before and behind each.
__global__ void exchanges(u64* out) {
    u32 word = 17, old;
    u64 large = 0x1111222233334444, before;
    __shared__ alignas(8) u16 narrow[4];
    u16 part;
    for (u16 i = 0; i < 4; ++i) narrow[i] = 40 + i;
    asm volatile("atom.exch.b32 %0, [%1], %2;" : "=r"(old) : "l"(&word), "r"(18) : "memory");
    out[0] = old, out[1] = word;
    asm volatile("atom.exch.b64 %0, [%1], %2;" : "=l"(before) : "l"(&large), "l"(5LL) : "memory");
    out[2] = before, out[3] = large;
    asm volatile("atom.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(old)
                 : "l"(&word), "r"(19), "r"(20)
                 : "memory");
    out[4] = old, out[5] = word;
    asm volatile("atom.acquire.cta.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(old)
                 : "l"(&word), "r"(18), "r"(21)
                 : "memory");
    out[6] = old, out[7] = word;
    asm volatile("atom.cas.b64 %0, [%1], %2, %3;"
                 : "=l"(before)
                 : "l"(&large), "l"(5LL), "l"(-6LL)
                 : "memory");
    out[8] = before, out[9] = large;
    asm volatile("atom.shared.cas.b16 %0, [%1], %2, %3;"
                 : "=h"(part)
                 : "r"(static_cast<u32>(__cvta_generic_to_shared(&narrow[1]))), "h"(u16(41)),
                   "h"(u16(7))
                 : "memory");
    out[10] = part;
    for (int i = 0; i < 4; ++i) out[11 + i] = narrow[i];
}
static void check_exchanges() {
    u64* out = managed<u64>(15, 0);
    exchanges<<<1, 1>>>(out);
    wait_for_device();
    const u64 want[] = {17, 18, 0x1111222233334444, 5, 18, 18, 18, 21, 5, u64(-6), 41, 40, 7,
                        42, 43};
    for (int i = 0; i < 15; ++i) expect("exchange", i, out[i], want[i]);
    cudaFree(out);
}

/// Many threads at once; a counter with a wrap, and a maximum by compare and swap.
__global__ void together(u32* cells, double* sum) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(cells), "r"(i) : "memory");
    asm volatile("red.relaxed.gpu.global.inc.u32 [%0], 6;" ::"l"(cells + 1) : "memory");
    asm volatile("red.global.add.f64 [%0], %1;" ::"l"(sum), "d"(0.5 * i) : "memory");
    u32 now = cells[2], seen;
    do {
        seen = now;
        const u32 wanted = seen > i * 7919 % 1000 ? seen : i * 7919 % 1000;
        asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
                     : "=r"(now)
                     : "l"(cells + 2), "r"(seen), "r"(wanted)
                     : "memory");
    } while (now != seen);
}
static void check_together() {
    u32* cells = managed<u32>(3, 0);
    double* sum = managed<double>(1, 0);
    together<<<3, 100>>>(cells, sum);
    wait_for_device();
    u32 most = 0;
    for (u32 i = 0; i < 300; ++i) most = most < i * 7919 % 1000 ? i * 7919 % 1000 : most;
    expect("sum", 0, cells[0], 299 * 300 / 2);
    expect("inc", 0, cells[1], 300 % 7);
    expect("most", 0, cells[2], most);
    expect("sum of halves", 0, static_cast<u64>(*sum * 4), 299 * 300);
    cudaFree(cells), cudaFree(sum);
}

// --- cp.async ------------------------------------------------------------------------------------

#define COPY(k, text)                                                             \
    asm volatile(text                                                             \
                 :                                                                \
                 : "r"(at + 16 * (k)), "l"(in + 4 * (k)), "r"(given), "l"(policy) \
                 : "memor"                                                        \
                   "y")
__global__ void copies(const u32* in, u32* out, int given) {
    __shared__ alignas(16) u32 s[12 * 4];
    for (u32& word : s) word = 0xeeeeeeee;
    const u32 at = static_cast<u32>(__cvta_generic_to_shared(s));
    u64 policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 0.25;" : "=l"(policy));
    COPY(0, "cp.async.ca.shared.global [%0], [%1], 4;");
    COPY(1, "cp.async.ca.shared.global [%0], [%1], 8;");
    COPY(2, "cp.async.ca.shared.global [%0], [%1], 16;");
    COPY(3, "cp.async.cg.shared.global.L2::256B [%0], [%1], 16;");
    COPY(4, "cp.async.ca.shared.global [%0], [%1], 4, %2;");
    COPY(5, "cp.async.ca.shared::cta.global [%0], [%1], 8, %2;");
    COPY(6, "cp.async.cg.shared.global [%0], [%1], 16, %2;");
    COPY(7, "cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %3;");
    COPY(8, "cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2, %3;");
    COPY(9, "cp.async.ca.shared.global [%0+8], [%1+8], 8, 0;");
    asm volatile("cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all;" ::: "memory");
    for (int i = 0; i < 12 * 4; ++i) out[i] = s[i];
}
static void check_copies() {
    u32 *in = managed<u32>(64, 0), *out = managed<u32>(48, 0);
    for (u32 i = 0; i < 64; ++i) in[i] = 0x01020304 * (i + 1);
    const struct {
        int bytes;
        bool fills;
    } forms[] = {{4, false}, {8, false}, {16, false}, {16, false}, {4, true},
                 {8, true},  {16, true}, {16, false}, {16, true}};
    for (const int given : {0, 3, 4}) {
        copies<<<1, 1>>>(in, out, given);
        wait_for_device();
        std::vector<u32> want(48, 0xeeeeeeee);
        for (int k = 0; k < 9; ++k) {
            std::memset(&want[4 * k], 0, forms[k].bytes);
            std::memcpy(&want[4 * k], in + 4 * k, forms[k].fills ? given : forms[k].bytes);
        }
        want[38] = want[39] = 0;
        for (int i = 0; i < 48; ++i) expect("cp.async", 100 * given + i, out[i], want[i]);
    }
    cudaFree(in), cudaFree(out);
}

int main() {
    check_all(std::make_integer_sequence<int, lines>());
    check_exchanges();
    check_together();
    check_copies();
    return verdict();
}
