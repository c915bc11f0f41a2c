// Inline PTX: each instruction against values by hand or by plain C++.
#include <cstdint>
#include <cstdio>

#include "check.h"

#define LANE(x) asm volatile("mov.u32 %0, %%laneid;" : "=r"(x))
// The statement's text is the macro's argument: the rest of the macro stays as it is written.
#define OPERATE(name, to, a, b) \
    do { \
        for (int round##to = 0; round##to != 2; ++round##to) to += round##to; \
        asm(#name "." "u32 %0, %1, %2;" : "=r"(to) : "r"(a), "r"(b)); \
        if (to >= 3 && to != 4) to <<= 1, to |= -(-1), --to; \
    } while (0)

__device__ unsigned three(unsigned a, unsigned b, unsigned c) {
    unsigned d;
    asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(d) : "r"(a), "r"(b), "r"(c));  // the majority
    return d;
}

/// One value of each instruction, by number.
__global__ void arithmetic(unsigned* u, long long* l, float* f, unsigned a, unsigned b) {
    int n = 0, k = 0, m = 0;
    const int minus = -7;
    asm("add.u32 %0, %1, %2;" : "=r"(u[n++]) : "r"(a), "r"(b));
    asm("sub.s32 %0, %1, %2;" : "=r"(u[n++]) : "r"(b), "r"(a));
    asm("mul.hi.u32 %0, %1, %2;" : "=r"(u[n++]) : "r"(a), "r"(b));
    asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(u[n++]) : "r"(minus), "r"(3), "r"(1));
    asm("div.s32 %0, %1, 2;" : "=r"(u[n++]) : "r"(minus));
    asm("shr.s32 %0, %1, 1;" : "=r"(u[n++]) : "r"(minus));
    asm("shr.u32 %0, %1, 40;" : "=r"(u[n++]) : "r"(a));
    asm("bfe.u32 %0, %1, 4, 8;" : "=r"(u[n++]) : "r"(0xabcdefu));
    asm("bfe.s32 %0, %1, 4, 8;" : "=r"(u[n++]) : "r"(0xabcdefu));
    asm("bfi.b32 %0, %1, %2, 8, 4;" : "=r"(u[n++]) : "r"(0x5u), "r"(0xffffffffu));
    asm("prmt.b32 %0, %1, %2, 0x7051;" : "=r"(u[n++]) : "r"(0x33221100u), "r"(0x77665544u));
    asm("prmt.b32 %0, %1, %2, 0x8;" : "=r"(u[n++]) : "r"(0x80u), "r"(0u));
    u[n++] = three(0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa);
    asm("shf.l.wrap.b32 %0, %1, %2, 8;" : "=r"(u[n++]) : "r"(0x11223344u), "r"(0x55667788u));
    asm("popc.b32 %0, %1;" : "=r"(u[n++]) : "r"(0xf00fu));
    asm("clz.b32 %0, %1;" : "=r"(u[n++]) : "r"(0xffu));
    asm("brev.b32 %0, %1;" : "=r"(u[n++]) : "r"(1u));
    asm("bfind.u32 %0, %1;" : "=r"(u[n++]) : "r"(0x1000u));
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(u[n++]) : "r"(0xff020304), "r"(0x01010102), "r"(10));
    asm("{\n\t.reg .pred p;\n\tsetp.gt.u32 p, %1, %2;\n\tselp.u32 %0, 1, 2, p;\n\t}"
        : "=r"(u[n++])
        : "r"(a), "r"(b));
    asm("{ .reg .pred p; setp.lt.s32 p, %1, 0; mov.u32 %0, 5; @p mov.u32 %0, 6; @!p add.u32 %0, "
        "%0, 1; }"
        : "=r"(u[n++])
        : "r"(minus));
    asm("min.s32 %0, %1, %2;" : "=r"(u[n++]) : "r"(minus), "r"(4));
    asm("add.cc.u32 %0, %2, %3; addc.u32 %1, %4, 0;"
        : "=r"(u[n]), "=r"(u[n + 1])
        : "r"(0xffffffffu), "r"(2u), "r"(10u));
    n += 2;
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(l[k++]) : "r"(minus), "r"(1 << 30));
    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(l[k++]) : "r"(0xffffffffu), "r"(2u), "l"(1ll));
    asm("mov.b64 %0, {%1, %2};" : "=l"(l[k++]) : "r"(1u), "r"(2u));
    asm("mov.b64 {%0, %1}, %2;" : "=r"(u[n]), "=r"(u[n + 1]) : "l"(0x0000000300000004ll));
    n += 2;
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(f[m++]) : "f"(2.0f), "f"(3.0f), "f"(0.5f));
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(f[m++]) : "f"(3.0f));
    asm("mov.f32 %0, 0f3FC00000;" : "=f"(f[m++]));
    asm("cvt.rn.f32.s32 %0, %1;" : "=f"(f[m++]) : "r"(minus));
    asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(u[n++]) : "f"(-2.9f));
    asm("cvt.rni.u32.f32 %0, %1;" : "=r"(u[n++]) : "f"(-2.9f));
    asm("max.f32 %0, %1, %2;" : "=f"(f[m++]) : "f"(1.0f), "f"(2.0f));
}

__global__ void of_warp(unsigned* out) {
    __shared__ unsigned s[64];
    const int t = threadIdx.x;
    unsigned lane, below, got, all;
    LANE(lane);
    asm("mov.u32 %0, %lanemask_lt;" : "=r"(below));
    asm volatile("shfl.sync.down.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(got) : "r"(lane * 10));
    unsigned made = 0;
    OPERATE(add, made, 1, 2);
    out[t] = made == 6 ? got : 999;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x181f, %3;"  // groups of eight
                 : "=r"(got)
                 : "r"(lane), "r"(2), "r"(0xffffffffu));
    out[64 + t] = got;
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 3; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
                 : "=r"(all)
                 : "r"(lane));
    out[128 + t] = all + __popc(below);
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&s[t]));
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(t * 3) : "memory");
    asm volatile("bar.sync 0;" ::: "memory");
    asm volatile("ld.shared.u32 %0, [%1];"
                 : "=r"(got)
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(&s[63 - t]))));
    out[192 + t] = got;
}

__global__ void memory(const uint4* in, uint4* out, unsigned* sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(static_cast<const void*>(in + i)));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i));
    asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(static_cast<void*>(out + i)),
                 "r"(v.w), "r"(v.z), "r"(v.y), "r"(v.x)
                 : "memory");
    unsigned old;
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(sum), "r"(v.x));
    asm volatile("red.global.max.u32 [%0+4], %1;" ::"l"(sum), "r"(v.y));
    asm volatile("membar.gl;");
    if (old == 0xffffffff) asm volatile("trap;");
}

/// Saturating sums, sizes, state spaces, barriers with a vote, an elected lane.
__global__ void more_of_warp(unsigned* out) {
    __shared__ int shared;
    const unsigned t = threadIdx.x;
    const int a = t % 2 == 0 ? 0x7ffffff0 : -0x7ffffff0, b = t % 2 == 0 ? 100 : -100;
    int sum, difference;
    asm("add.sat.s32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    asm("sub.sat.s32 %0, %1, %2;" : "=r"(difference) : "r"(a), "r"(static_cast<int>(t)));
    out[t] = sum;
    out[64 + t] = t % 2 == 0 ? difference : a - static_cast<int>(t);
    unsigned size, lanes, votes, leads, leader, spaces = 0, all;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
    asm("mov.u32 %0, WARP_SZ;" : "=r"(lanes));
    out[128 + t] = size + lanes;
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 20; bar.red.popc.u32 %0, 0, p; }"
                 : "=r"(votes)
                 : "r"(t));
    out[192 + t] = votes;
    leads = 0;
    if (t % 32 >= 3)
        asm volatile("{ .reg .pred p; elect.sync %0|p, 0xfffffff8; selp.u32 %1, 1, 0, p; }"
                     : "=r"(leader), "=r"(leads));
    out[256 + t] = leads;
    const void* const places[3] = {&shared, out, &spaces};
    for (int i = 0; i < 3; ++i) {
        unsigned is_shared, is_global;
        asm("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; }"
            : "=r"(is_shared)
            : "l"(places[i]));
        asm("{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p; }"
            : "=r"(is_global)
            : "l"(places[i]));
        if (i == 0) spaces |= is_shared << 8 | is_global << 9;
        if (i == 1) spaces |= is_shared << 1 | is_global;
        if (i == 2) spaces |= (is_shared | is_global) << 2;
    }
    out[320 + t] = spaces;
    out[384 + t] = __isShared(&shared) << 8 | __isGlobal(out) << 4 | __isShared(out);
    asm volatile(
        "{ .reg .pred p, q; setp.lt.u32 p, %1, 64; bar.red.and.pred q, 0, p; selp.u32 %0, 3, 4, q; "
        "}"
        : "=r"(all)
        : "r"(t));
    out[448 + t] = all;
}

int main() {
    unsigned *u, *v;
    long long* l;
    float* f;
    cudaMalloc(&u, 4096), cudaMalloc(&v, 4096), cudaMalloc(&l, 64), cudaMalloc(&f, 64);
    const unsigned a = 0x80000001, b = 6;
    arithmetic<<<1, 1>>>(u, l, f, a, b);
    const unsigned wanted[] = {a + b,
                               b - a,
                               3,
                               unsigned(-20),
                               unsigned(-3),
                               unsigned(-4),
                               0,
                               0xde,
                               0xffffffde,
                               0xfffff5ff,
                               0x77005511,
                               0x808080ff,
                               0xe8e8e8e8,
                               0x66778811,
                               8,
                               24,
                               0x80000000,
                               12,
                               10 + -1 + 2 + 3 + 8,
                               1,
                               6,
                               unsigned(-7),
                               1,
                               11,
                               4,
                               3,
                               unsigned(-2),
                               0};
    const auto gu = host(u, 28);
    for (int i = 0; i < 28; ++i) {
        if (fails(gu[i] == wanted[i])) std::printf("%d: %x, must be %x\n", i, gu[i], wanted[i]);
    }
    const auto gl = host(l, 3);
    MUST(gl[0] == -7ll * (1 << 30) && gl[1] == 0x1ffffffffll && gl[2] == 0x200000001ll);
    const auto gf = host(f, 5);
    MUST(gf[0] == 6.5f && gf[1] == 8 && gf[2] == 1.5f && gf[3] == -7 && gf[4] == 2);
    of_warp<<<1, 64>>>(u);
    const auto w = host(u, 256);
    for (unsigned t = 0; t < 64; ++t) {
        const unsigned lane = t % 32;
        MUST(w[t] == (lane < 31 ? lane + 1 : lane) * 10);
        MUST(w[64 + t] == lane / 8 * 8 + 2);
        MUST(w[128 + t] == 7 + lane);
        MUST(w[192 + t] == (63 - t) * 3);
    }
    std::vector<uint4> in(50);
    unsigned total = 0, most = 0;
    for (unsigned i = 0; i < 50; ++i) {
        in[i] = {i, i * i % 37, 2 * i, 3 * i};
        total += i;
        most = most < in[i].y ? in[i].y : most;
    }
    cudaMemcpy(u, in.data(), 800, cudaMemcpyHostToDevice);
    cudaMemset(l, 0, 64);
    memory<<<2, 32>>>(reinterpret_cast<uint4*>(u), reinterpret_cast<uint4*>(v),
                      reinterpret_cast<unsigned*>(l), 50);
    const auto r = host(reinterpret_cast<uint4*>(v), 50);
    for (unsigned i = 0; i < 50; ++i) MUST(r[i].x == 3 * i && r[i].w == i);
    const auto sums = host(reinterpret_cast<unsigned*>(l), 2);
    MUST(sums[0] == total && sums[1] == most);
    more_of_warp<<<1, 64, 80>>>(u);
    const auto m = host(u, 8 * 64);
    for (unsigned t = 0; t < 64; ++t) {
        const int a = t % 2 == 0 ? 0x7ffffff0 : -0x7ffffff0;
        MUST(static_cast<int>(m[t]) == (t % 2 == 0 ? 0x7fffffff : static_cast<int>(0x80000000)));
        MUST(static_cast<int>(m[64 + t]) == a - static_cast<int>(t));
        MUST(m[128 + t] == 32 + 80 && m[192 + t] == 20 && m[256 + t] == (t % 32 == 3));
        MUST(m[320 + t] == 0x101 && m[384 + t] == 0x110 && m[448 + t] == 3);
    }
    return verdict();
}
