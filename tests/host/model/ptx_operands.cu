// Operands of inline PTX that are rare: negated predicates, registers whose names begin with %,
// values that widen or overflow, packed bytes, and a predicate that leaves a copy's source alone.
#include "check.h"

constexpr const char* names[] = {"vote of !p",     "bar.red of !p", "ld.s32",
                                 "ld.s16",         "ld.s8",         "div of the least by -1",
                                 "rem by -1",      "div by 0",      "rem by 0",
                                 "mad.hi.sat",     "mov.b16 {}",    "a copy with a source",
                                 "one without",    "total memory",  "dynamic memory",
                                 "a leader's flag"};
constexpr int count = sizeof names / sizeof *names;

__global__ void operands(const int* in, int least, int minus, unsigned zero, long long* out) {
    __shared__ __align__(16) unsigned s[25];
    unsigned number = 0, flag = 0;
    long long got[count] = {};
    int whole = 0;
    long long wide = 0;
    asm volatile(
        "{ .reg .pred p, q; setp.lt.u32 p, %1, 32; vote.sync.any.pred q, !p, 0xffffffff;"
        " selp.u32 %0, 1, 0, q; }"
        : "=r"(number)
        : "r"(threadIdx.x));
    got[0] = number;
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 30; bar.red.popc.u32 %0, 0, !p; }"
                 : "=r"(number)
                 : "r"(threadIdx.x));
    got[1] = number;
    asm("ld.global.s32 %0, [%1];" : "=l"(wide) : "l"(in));
    got[2] = wide;
    asm("ld.global.s16 %0, [%1];" : "=l"(wide) : "l"(in));
    got[3] = wide;
    asm("ld.global.s8 %0, [%1];" : "=l"(wide) : "l"(in));
    got[4] = wide;
    asm("div.s32 %0, %1, %2;" : "=r"(whole) : "r"(least), "r"(minus));
    got[5] = whole;
    asm("rem.s32 %0, %1, %2;" : "=r"(whole) : "r"(least), "r"(minus));
    got[6] = whole;
    asm("div.u32 %0, %1, %2;" : "=r"(number) : "r"(7), "r"(zero));
    got[7] = number;
    asm("rem.u32 %0, %1, %2;" : "=r"(number) : "r"(7), "r"(zero));
    got[8] = number;
    asm("mad.hi.sat.s32 %0, %1, %1, %1;" : "=r"(whole) : "r"(~least));
    got[9] = whole;
    asm("{ .reg .u8 p, q; .reg .b16 h; cvt.u8.u32 p, %1; cvt.u8.u32 q, %2; mov.b16 h, {p, q};"
        " cvt.u32.u16 %0, h; }"
        : "=r"(number)
        : "r"(0x112), "r"(0x34));
    got[10] = number;
    const auto at = static_cast<unsigned>(__cvta_generic_to_shared(s));
    if (threadIdx.x == 0) {
        asm volatile(
            "{ .reg .pred p; setp.ne.u32 p, %2, 0; cp.async.ca.shared.global [%0], [%1], 4, p;"
            " cp.async.wait_all; }" ::"r"(at),
            "l"(in), "r"(zero)
            : "memory");
        got[11] = s[0];
        asm volatile(
            "{ .reg .pred p; setp.eq.u32 p, %2, 0; cp.async.ca.shared.global [%0], [%1], 4, p;"
            " cp.async.wait_all; }" ::"r"(at),
            "l"(in), "r"(zero)
            : "memory");
        got[12] = s[0];
    }
    asm("mov.u32 %0, %%total_smem_size;" : "=r"(number));
    got[13] = number;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(number));
    got[14] = number;
    asm volatile(
        "{ .reg .b32 %%rx; .reg .pred %%px; elect.sync %%rx|%%px, %2; @%%px mov.s32 %1, 1;"
        " mov.s32 %0, %%rx; }"
        : "=r"(number), "+r"(flag)
        : "r"(0xffffffff));
    if (threadIdx.x == 0)
        for (int i = 0; i < count - 1; ++i) out[i] = got[i];
    if (flag != 0) out[15] = number == threadIdx.x;
}

int main() {
    int* in;
    long long* out;
    cudaMallocManaged(&in, sizeof *in);
    cudaMallocManaged(&out, count * sizeof *out);
    *in = static_cast<int>(0x85868788);
    const int least = -2147483647 - 1;
    operands<<<1, 32, 80>>>(in, least, -1, 0, out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    const long long wanted[count] = {
        0,          2,          *in,    static_cast<short>(0x8788),
        -0x78,      least,      0,      0xffffffff,
        0xffffffff, 0x7fffffff, 0x3412, *reinterpret_cast<unsigned*>(in),
        0,          256,        80,     1};
    for (int i = 0; i < count; ++i) expect(names[i], i, out[i], wanted[i]);
    return verdict();
}
