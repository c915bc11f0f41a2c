// Inline PTX that selects, tests and finds, against the pseudo-code of the ISA's manual.
#include <cstdint>
#include <cstdio>

#include "check.h"

using u32 = unsigned;
constexpr int kinds = 35, n = 512;

#define TWO(number, op) \
    asm(op " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); \
    out[(number)*n + i] = r

__global__ void probe(const u32* in, u32* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    const float x = __uint_as_float(a), y = __uint_as_float(b);
    u32 r, s;
    asm("slct.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    out[0 * n + i] = r;
    asm("slct.b32.f32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "f"(__uint_as_float(c)));
    out[1 * n + i] = r;
    asm("fns.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b & 31), "r"((int)(c % 9) - 4));
    out[2 * n + i] = r;
    TWO(3, "bmsk.clamp.b32");
    TWO(4, "bmsk.wrap.b32");
    TWO(5, "szext.clamp.s32");
    TWO(6, "szext.wrap.s32");
    TWO(7, "szext.clamp.u32");
    TWO(8, "szext.wrap.u32");
    TWO(9, "set.lt.u32.u32");
    TWO(10, "set.ge.s32.s32");
    TWO(11, "set.ne.f32.u32");
    asm("set.leu.u32.f32 %0, %1, %2;" : "=r"(r) : "f"(x), "f"(y));
    out[12 * n + i] = r;
    asm("{ .reg .pred p; setp.ne.u32 p, %3, 0; set.gt.xor.u32.s32 %0, %1, %2, !p; }"
        : "=r"(r)
        : "r"(a), "r"(b), "r"(c & 1));
    out[13 * n + i] = r;
    asm("{ .reg .pred p, q; setp.ne.u32 p, %4, 0; setp.lt.and.u32 p|q, %2, %3, p;"
        " selp.u32 %0, 1, 0, p; selp.u32 %1, 1, 0, q; }"
        : "=r"(r), "=r"(s)
        : "r"(a), "r"(b), "r"(c & 1));
    out[14 * n + i] = r | s << 1;
    asm("{ .reg .pred p; setp.ne.u32 p, %3, 0; setp.eq.or.u32 p, %1, %2, !p; selp.u32 %0, 1, 0, p; }"
        : "=r"(r)
        : "r"(a & 3), "r"(b & 3), "r"(c & 1));
    out[15 * n + i] = r;
#define TEST(number, kind)                                                         \
    asm("{ .reg .pred p; testp." kind ".f32 p, %1; selp.u32 %0, 1, 0, p; }"        \
        : "=r"(r)                                                                  \
        : "f"(x));                                                                 \
    out[(number)*n + i] = r
    TEST(16, "finite");
    TEST(17, "infinite");
    TEST(18, "number");
    TEST(19, "notanumber");
    TEST(20, "normal");
    TEST(21, "subnormal");
    float f;
    asm("copysign.f32 %0, %1, %2;" : "=f"(f) : "f"(x), "f"(y));
    out[22 * n + i] = __float_as_uint(f);
    double d;
    asm("copysign.f64 %0, %1, %2;" : "=d"(d) : "d"((double)(int)a), "d"(2.5));
    out[23 * n + i] = d == 2.5 ? 1 : d == -2.5 ? 2 : 0;
#define THREE(number, op)                                                       \
    asm(op " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));              \
    out[(number)*n + i] = r
    THREE(24, "dp2a.lo.u32.u32");
    THREE(25, "dp2a.hi.u32.u32");
    THREE(26, "dp2a.lo.s32.u32");
    THREE(27, "dp2a.hi.s32.s32");
    THREE(28, "dp2a.lo.u32.s32");
    asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, 0xffffffff; selp.u32 %1, 1, 0, p; }"
                 : "=r"(r), "=r"(s)
                 : "r"(i / 64 % 2 ? a : c & 0));
    out[29 * n + i] = r;
    out[30 * n + i] = s;
    asm volatile("match.all.sync.b64 %0, %1, 0xffffffff;" : "=r"(r) : "l"((long long)(i / 32)));
    out[31 * n + i] = r;
    asm("{ .reg .pred p; setp.lt.f32 _|p, %1, %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(r)
        : "f"(x), "f"(y));
    out[32 * n + i] = r;
    asm("fns.b32 %0, %1, 0, 3;" : "=r"(r) : "r"(a));
    out[33 * n + i] = r;
    unsigned long long policy;
    asm volatile("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %0, 0.5;"
                 : "=l"(policy));
    asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(r) : "l"(in + 3 * i), "l"(policy));
    asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" ::"l"(out + 34 * n + i), "r"(r + 1),
                 "l"(policy)
                 : "memory");
}

static float as_float(u32 bits) {
    float f;
    std::memcpy(&f, &bits, 4);
    return f;
}
static u32 find(u32 mask, u32 base, int offset) {
    if (offset == 0) return mask >> base & 1 ? base : ~0U;
    int count = (offset < 0 ? -offset : offset) - 1;
    const int step = offset > 0 ? 1 : -1;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if (mask >> at & 1) {
            if (count == 0) return (u32)at;
            --count;
        }
    return ~0U;
}
static u32 mask_of(u32 a, u32 b, bool clamp) {
    const u32 a1 = a & 31, b1 = b & 31, sum = a1 + b1;
    u32 mask0 = ~0U << a1, mask1 = sum < 32 ? ~0U << sum : 0;
    bool over = sum >= 32;
    if (clamp && a >= 32) mask0 = 0, over = true;
    if (clamp && b >= 32) over = true;
    return mask0 & ~(over ? 0 : mask1);
}
static u32 extend(u32 a, u32 b, bool clamp, bool is_signed) {
    const u32 b1 = b & 31;
    const bool too_large = b >= 32 && clamp;
    const u32 mask = too_large ? 0 : ~0U << b1, place = (b1 - 1) & 31;
    const bool sign = !(b1 == 0 || too_large || !is_signed) && (a >> place & 1);
    return (a & ~mask) | (sign ? mask : 0);
}
static u32 dot(u32 a, u32 b, u32 c, int first, bool sa, bool sb) {
    for (int k = 0; k < 2; ++k) {
        const u32 x = a >> 16 * k & 0xffff, y = b >> 8 * (first + k) & 0xff;
        const int u = sa ? (short)x : (int)x, v = sb ? (signed char)y : (int)y;
        c += (u32)(u * v);
    }
    return c;
}

int main() {
    u32 *in = managed<u32>(3 * n), *out = managed<u32>(kinds * n);
    u32 state = 12345;
    const u32 special[] = {0, 1, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000123, 31, 32, 40};
    for (int i = 0; i < 3 * n; ++i) {
        state = state * 1664525 + 1013904223;
        in[i] = state >> 28 < 5 ? special[state >> 8 & 7] : state >> 28 < 8 ? state >> 8 & 63 : state;
    }
    probe<<<n / 128, 128>>>(in, out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    for (int i = 0; i < n; ++i) {
        const u32 a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
        const float x = as_float(a), y = as_float(b), z = as_float(c);
        const bool nan = x != x, infinite = !nan && (a & 0x7fffffff) == 0x7f800000;
        const bool small = (a & 0x7f800000) == 0 && (a & 0x7fffff) != 0;
        const bool zero = (a & 0x7fffffff) == 0;
        bool same = true;
        if (i / 64 % 2)
            for (int k = i / 32 * 32; k < i / 32 * 32 + 32; ++k) same &= in[3 * k] == in[3 * (i / 32 * 32)];
        const u32 wanted[kinds] = {
            (int)c >= 0 ? a : b, z >= 0 ? a : b, find(a, b & 31, (int)(c % 9) - 4),
            mask_of(a, b, true), mask_of(a, b, false), extend(a, b, true, true),
            extend(a, b, false, true), extend(a, b, true, false), extend(a, b, false, false),
            a < b ? ~0U : 0, (int)a >= (int)b ? ~0U : 0, a != b ? 0x3f800000U : 0,
            !(x > y) ? ~0U : 0, ((int)a > (int)b) != !(c & 1) ? ~0U : 0,
            (u32)(a < b && (c & 1)) | (u32)(!(a < b) && (c & 1)) << 1,
            (a & 3) == (b & 3) || !(c & 1), !nan && !infinite, infinite, !nan, nan,
            !nan && !infinite && !small && !zero, small, (b & 0x7fffffff) | (a & 0x80000000),
            (int)a < 0 ? 2U : 1U, dot(a, b, c, 0, false, false), dot(a, b, c, 2, false, false),
            dot(a, b, c, 0, true, false), dot(a, b, c, 2, true, true), dot(a, b, c, 0, false, true),
            same ? ~0U : 0, same, ~0U, !(x < y), find(a, 0, 3), a + 1};
        for (int k = 0; k < kinds; ++k)
            if (fails(out[k * n + i] == wanted[k]))
                std::printf("%d of %08x %08x %08x: %08x, wanted %08x\n", k, a, b, c, out[k * n + i],
                            wanted[k]);
    }
    return verdict();
}
