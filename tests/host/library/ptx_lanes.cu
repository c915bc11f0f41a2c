// Inline PTX on the parts of a word (SIMD video instructions), products of 24 bits, cnot and cvt
// with .sat, against plain loops; and clock() in device code.
#include <cstdint>
#include <ctime>

#include "check.h"

struct results {
    unsigned difference, total, sum, saturated, least, most, average, words, product, added, zero,
        one;
    signed char low, high;
    long ticks;
};

__global__ void compute(unsigned a, unsigned b, unsigned c, results* r) {
    asm("vabsdiff4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r->difference) : "r"(a), "r"(b), "r"(c));
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r->total) : "r"(a), "r"(b), "r"(c));
    asm("vadd4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r->sum) : "r"(a), "r"(b), "r"(0));
    asm("vadd4.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(r->saturated) : "r"(a), "r"(b), "r"(0));
    asm("vmin2.s32.s32.s32 %0, %1, %2, %3;" : "=r"(r->least) : "r"(a), "r"(b), "r"(0));
    asm("vmax4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r->most) : "r"(a), "r"(b), "r"(0));
    asm("vavrg4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r->average) : "r"(a), "r"(b), "r"(0));
    asm("vsub2.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r->words) : "r"(a), "r"(b), "r"(0));
    asm("mul24.lo.s32 %0, %1, %2;" : "=r"(r->product) : "r"(a), "r"(b));
    asm("mad24.lo.u32 %0, %1, %2, %3;" : "=r"(r->added) : "r"(a), "r"(b), "r"(c));
    asm("cnot.b32 %0, %1;" : "=r"(r->zero) : "r"(a));
    asm("cnot.b32 %0, %1;" : "=r"(r->one) : "r"(0));
    int low, high;
    asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(low) : "f"(-300.5F));
    asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(high) : "f"(2.5F));
    r->low = static_cast<signed char>(low);
    r->high = static_cast<signed char>(high);
    const clock_t begin = clock();
    r->ticks = static_cast<long>(clock() - begin);
}

int main() {
    results* r;
    cudaMallocManaged(&r, sizeof *r);
    const unsigned words[] = {0x01ff7f80, 0xfe0280ff, 0x12345678,
                              0x00ffff00, 0x80808080, 0x7f7f7f7f};
    for (const unsigned a : words)
        for (const unsigned b : words) {
            const unsigned c = 1000;
            compute<<<1, 1>>>(a, b, c, r);
            OK(cudaDeviceSynchronize());
            unsigned difference = 0, total = c, sum = 0, saturated = 0, most = 0, average = 0;
            for (int i = 0; i < 32; i += 8) {
                const int x = a >> i & 0xff, y = b >> i & 0xff, d = x > y ? x - y : y - x;
                const int s = static_cast<std::int8_t>(x) + static_cast<std::int8_t>(y);
                difference |= static_cast<unsigned>(d) << i;
                total += static_cast<unsigned>(d);
                sum |= (static_cast<unsigned>(x + y) & 0xff) << i;
                saturated |= (static_cast<unsigned>(s > 127    ? 127
                                                    : s < -128 ? -128
                                                               : s) &
                              0xff)
                             << i;
                most |= static_cast<unsigned>(x > y ? x : y) << i;
                average |= static_cast<unsigned>((x + y + 1) / 2) << i;
            }
            unsigned least = 0, less = 0;
            for (int i = 0; i < 32; i += 16) {
                const auto x = static_cast<std::int16_t>(a >> i),
                           y = static_cast<std::int16_t>(b >> i);
                least |= (static_cast<unsigned>(x < y ? x : y) & 0xffff) << i;
                less |= (static_cast<unsigned>(x - y) & 0xffff) << i;
            }
            MUST(r->difference == difference && r->total == total && r->sum == sum);
            MUST(r->saturated == saturated && r->least == least && r->most == most);
            MUST(r->average == average && r->words == less);
            const auto signed_24 = [](unsigned w) {
                return std::int64_t{static_cast<std::int32_t>(w << 8)} >> 8;
            };
            MUST(r->product == static_cast<unsigned>(signed_24(a) * signed_24(b)));
            MUST(r->added ==
                 static_cast<unsigned>(std::uint64_t{a & 0xffffff} * (b & 0xffffff)) + c);
            MUST(r->zero == 0 && r->one == 1 && r->low == -128 && r->high == 2);
            MUST(r->ticks > 0);
        }
    return verdict();
}
