// Instructions of inline PTX with values worked out by hand: arithmetic with carries, shifts, pairs and
// quads of small integers, elementary functions, loads, copies, votes, barriers and fences.
#include <cuda_runtime.h>

#include <cstdio>

__device__ int first_wrong = 1 << 30;
#define EXPECT(value) \
    if (got != (value)) atomicMin(&first_wrong, __LINE__)
// Instructions whose result is %0, what it must be, and their operands.
#define VALUE0(text, want) { unsigned got = 0; asm volatile(text : "=r"(got) : : "memory"); EXPECT(want); }
#define VALUE1(text, want, a) { unsigned got = 0; asm volatile(text : "=r"(got) : a : "memory"); EXPECT(want); }
#define VALUE2(text, want, a, b) { unsigned got = 0; asm volatile(text : "=r"(got) : a, b : "memory"); EXPECT(want); }
#define VALUE3(text, want, a, b, c) { unsigned got = 0; asm volatile(text : "=r"(got) : a, b, c : "memory"); EXPECT(want); }
#define VALUE4(text, want, a, b, c, d) { unsigned got = 0; asm volatile(text : "=r"(got) : a, b, c, d : "memory"); EXPECT(want); }
#define VALUEF1(text, want, a) { float got = 0; asm volatile(text : "=f"(got) : a : "memory"); EXPECT(want); }
#define VALUEF2(text, want, a, b) { float got = 0; asm volatile(text : "=f"(got) : a, b : "memory"); EXPECT(want); }
#define VALUEF3(text, want, a, b, c) { float got = 0; asm volatile(text : "=f"(got) : a, b, c : "memory"); EXPECT(want); }

__global__ void part_1(unsigned* x) {
    __shared__ __align__(16) unsigned s[64];
    unsigned mine = 1;
    for (int i = threadIdx.x; i < 64; i += 32) s[i] = 30 + i;
    if (mine == 2) x[60] = 1;
    __syncthreads();
    VALUE3("mad.hi.u32 %0, %1, %2, %3;", 8u, "r"(0x80000000u), "r"(6u), "r"(5u))
    VALUE3("mad.hi.s32 %0, %1, %2, %3;", 2u, "r"(0x80000000u), "r"(6u), "r"(5u))
    VALUE2("mul.lo.u32 %0, %1, %2;", 0x80000003u, "r"(0x80000001u), "r"(3u))
    VALUE3("{ .reg .u32 t; sub.cc.u32 t, %1, %2; subc.u32 %0, %3, 0; }", 9u, "r"(1u), "r"(2u), "r"(10u))
    VALUE3("{ .reg .u32 t; sub.cc.u32 t, %1, %2; subc.u32 %0, %3, 0; }", 10u, "r"(3u), "r"(2u), "r"(10u))
    VALUE3("{ .reg .u32 t; sub.cc.u32 t, %1, %2; subc.cc.u32 t, 0, 0; subc.u32 %0, %3, 0; }", 9u, "r"(1u), "r"(2u), "r"(10u))
    VALUE3("{ .reg .u32 t; add.cc.u32 t, %1, %2; addc.cc.u32 t, %1, 0; addc.u32 %0, %3, 0; }", 11u, "r"(0xffffffffu), "r"(2u), "r"(10u))
    VALUE4("{ .reg .u32 t; mad.lo.cc.u32 t, %1, %2, %3; madc.hi.u32 %0, %1, %2, %4; }", 0xffffffffu+1u+0u, "r"(0xffffffffu), "r"(0xffffffffu), "r"(0xffffffffu), "r"(1u))
    VALUE3("{ .reg .u32 t; mad.hi.cc.u32 t, %1, %2, %3; addc.u32 %0, 0, 0; }", 1u, "r"(0xffffffffu), "r"(0xffffffffu), "r"(5u))
    VALUE2("{ .reg .u32 t; add.cc.u32 t, %1, %1; madc.lo.cc.u32 %0, 2, 3, %2; }", 11u, "r"(0xffffffffu), "r"(4u))
    VALUE2("{ .reg .u32 t; add.cc.u32 t, %1, %1; madc.hi.cc.u32 %0, %1, %1, %2; }", 0xfffffffeu+4u+1u, "r"(0xffffffffu), "r"(4u))
    VALUE2("{ .reg .u32 t; add.cc.u32 t, %1, %1; madc.lo.u32 %0, 2, 3, %2; }", 11u, "r"(0xffffffffu), "r"(4u))
    VALUE3("shf.l.clamp.b32 %0, %1, %2, %3;", 0x11223344u, "r"(0x11223344u), "r"(0x55667788u), "r"(40u))
    VALUE3("shf.r.clamp.b32 %0, %1, %2, %3;", 0x55667788u, "r"(0x11223344u), "r"(0x55667788u), "r"(40u))
    VALUE3("shf.r.wrap.b32 %0, %1, %2, %3;", 0x88112233u, "r"(0x11223344u), "r"(0x55667788u), "r"(8u))
    VALUE3("shf.r.wrap.b32 %0, %1, %2, %3;", 0x88112233u, "r"(0x11223344u), "r"(0x55667788u), "r"(40u))
    VALUE2("rem.s32 %0, %1, %2;", (unsigned)-1, "r"((unsigned)-7), "r"(3u))
    VALUE2("rem.u32 %0, %1, %2;", 2u, "r"(17u), "r"(5u))
    VALUE3("sad.u32 %0, %1, %2, %3;", 107u, "r"(3u), "r"(10u), "r"(100u))
    VALUE3("sad.s32 %0, %1, %2, %3;", 113u, "r"((unsigned)-3), "r"(10u), "r"(100u))
    VALUE2("shl.b32 %0, %1, %2;", 0x80000000u, "r"(3u), "r"(31u))
    VALUE2("shl.b32 %0, %1, %2;", 0u, "r"(3u), "r"(32u))
    VALUE2("xor.b32 %0, %1, %2;", 0xfu, "r"(0xf0u), "r"(0xffu))
    VALUE2("or.b32 %0, %1, %2;", 0xffu, "r"(0xf0u), "r"(0xfu))
    VALUE2("and.b32 %0, %1, %2;", 0x30u, "r"(0xf0u), "r"(0x3fu))
    VALUE1("not.b32 %0, %1;", 0xffffff0fu, "r"(0xf0u))
    VALUE1("neg.s32 %0, %1;", (unsigned)-5, "r"(5u))
    VALUE1("abs.s32 %0, %1;", 5u, "r"((unsigned)-5))
    VALUE3("vavrg2.u32.u32.u32 %0, %1, %2, %3;", 0x00020005u, "r"(0x00010003u), "r"(0x00030006u), "r"(0u))
    VALUE3("vadd2.u32.u32.u32 %0, %1, %2, %3;", 0x00020009u, "r"(0xffff0003u), "r"(0x00030006u), "r"(0u))
}

__global__ void part_2(unsigned* x) {
    __shared__ __align__(16) unsigned s[64];
    unsigned mine = 1;
    for (int i = threadIdx.x; i < 64; i += 32) s[i] = 30 + i;
    if (mine == 2) x[60] = 1;
    __syncthreads();
    VALUE3("vmax2.s32.s32.s32 %0, %1, %2, %3;", 0x00030003u, "r"(0xffff0003u), "r"(0x00030001u), "r"(0u))
    VALUE3("vmin4.u32.u32.u32 %0, %1, %2, %3;", 0x01010203u, "r"(0x01ff0203u), "r"(0x02010304u), "r"(0u))
    VALUE3("vsub4.u32.u32.u32 %0, %1, %2, %3;", 0xfffeffffu, "r"(0x01ff0203u), "r"(0x02010304u), "r"(0u))
    VALUE3("vabsdiff2.u32.u32.u32 %0, %1, %2, %3;", 0x00020002u, "r"(0x00010003u), "r"(0x00030001u), "r"(0u))
    VALUE1("redux.sync.add.s32 %0, %1, 0xffffffff;", 96u, "r"(3u))
    VALUE1("redux.sync.max.u32 %0, %1, 0xffffffff;", 31u, "r"(threadIdx.x))
    VALUE1("redux.sync.xor.b32 %0, %1, 0xffffffff;", 0u, "r"(threadIdx.x))
    VALUE1("match.any.sync.b32 %0, %1, 0xffffffff;", threadIdx.x % 2 ? 0xaaaaaaaau : 0x55555555u, "r"(threadIdx.x % 2))
    VALUE0("activemask.b32 %0;", 0xffffffffu)
    VALUE0("bar.warp.sync 0xffffffff; mov.u32 %0, 3;", 3u)
    VALUE0("nanosleep.u32 20; mov.u32 %0, 3;", 3u)
    VALUE0("griddepcontrol.wait; griddepcontrol.launch_dependents; mov.u32 %0, 3;", 3u)
    VALUE0("barrier.sync 0; bar.cta.sync 0; barrier.cta.sync 0; mov.u32 %0, 3;", 3u)
    VALUE0("barrier.sync 1, 32; bar.sync 2, 32; mov.u32 %0, 3;", 3u)
    VALUE1("{ .reg .pred p, q; setp.eq.u32 p, %1, 5; bar.red.or.pred q, 0, p; selp.u32 %0, 7, 8, q; }", 7u, "r"(threadIdx.x))
    VALUE1("{ .reg .pred p; isspacep.local p, %1; selp.u32 %0, 1, 0, p; }", 1u, "l"(&mine))
    VALUE1("{ .reg .u64 a, b; cvta.to.global.u64 a, %1; cvta.global.u64 b, a; sub.u64 a, b, %1; cvt.u32.u64 %0, a; }", 0u, "l"(x))
    VALUE1("{ .reg .u64 a; cvta.to.shared.u64 a, %1; ld.shared.u32 %0, [a]; }", 33u, "l"(&s[3]))
    VALUE1("{ .reg .u64 a; .reg .u32 b; cvta.to.shared.u64 a, %1; cvt.u32.u64 b, a; ld.shared.u32 %0, [b+4]; }", 34u, "l"(&s[3]))
    VALUE1("ldu.global.u32 %0, [%1];", 77u, "l"(x))
    VALUE1("{ .reg .u32 t; ld.global.v2.u32 {t, %0}, [%1]; }", 78u, "l"(x))
    VALUE1("ld.global.u8 %0, [%1];", 77u, "l"(x))
    VALUE1("ld.global.s8 %0, [%1];", (unsigned)-2, "l"(x + 2))
    VALUE1("ld.global.nc.u16 %0, [%1];", 0xfffeu, "l"(x + 2))
    if (threadIdx.x == 0) VALUE2("cp.async.ca.shared.global [%1], [%2], 4; cp.async.commit_group; cp.async.wait_group 0; ld.shared.u32 %0, [%1];", 77u, "r"((unsigned)__cvta_generic_to_shared(&s[40])), "l"(x))
    if (threadIdx.x == 0) VALUE2("cp.async.cg.shared.global [%1], [%2], 16, 4; cp.async.wait_all; ld.shared.u32 %0, [%1+4];", 0u, "r"((unsigned)__cvta_generic_to_shared(&s[40])), "l"(x))
    if (threadIdx.x == 0) VALUE2("cp.async.ca.shared.global.L2::128B [%1], [%2], 8; cp.async.wait_all; ld.shared.u32 %0, [%1+4];", 78u, "r"((unsigned)__cvta_generic_to_shared(&s[40])), "l"(x))
    VALUE1("{ .reg .u64 a; mapa.u64 a, %1, 0; ld.u32 %0, [a]; }", 33u, "l"(&s[3]))
    VALUE1("prefetchu.L1 [%1]; discard.global.L2 [%1], 128; applypriority.global.L2::evict_normal [%1], 128; mov.u32 %0, 3;", 3u, "l"(x + 64))
    VALUE1("cp.async.bulk.prefetch.L2.global [%1], 16; mov.u32 %0, 3;", 3u, "l"(x))
}

__global__ void part_3(unsigned* x) {
    __shared__ __align__(16) unsigned s[64];
    unsigned mine = 1;
    for (int i = threadIdx.x; i < 64; i += 32) s[i] = 30 + i;
    if (mine == 2) x[60] = 1;
    __syncthreads();
    VALUEF1("sqrt.rn.f32 %0, %1;", 3.0f, "f"(9.0f))
    VALUEF1("sqrt.approx.f32 %0, %1;", 3.0f, "f"(9.0f))
    VALUEF1("rsqrt.approx.f32 %0, %1;", 0.5f, "f"(4.0f))
    VALUEF1("rcp.rn.f32 %0, %1;", 0.25f, "f"(4.0f))
    VALUEF1("rcp.approx.ftz.f32 %0, %1;", 0.25f, "f"(4.0f))
    VALUEF1("lg2.approx.f32 %0, %1;", 3.0f, "f"(8.0f))
    VALUEF1("sin.approx.f32 %0, %1;", 0.0f, "f"(0.0f))
    VALUEF1("cos.approx.f32 %0, %1;", 1.0f, "f"(0.0f))
    VALUEF1("tanh.approx.f32 %0, %1;", 0.0f, "f"(0.0f))
    VALUEF3("mad.rn.f32 %0, %1, %2, %3;", 7.0f, "f"(2.0f), "f"(3.0f), "f"(1.0f))
    VALUEF2("div.rn.f32 %0, %1, %2;", 0.25f, "f"(1.0f), "f"(4.0f))
    VALUEF2("div.full.f32 %0, %1, %2;", 0.25f, "f"(1.0f), "f"(4.0f))
    VALUEF2("add.rn.ftz.f32 %0, %1, %2;", 2.0f, "f"(1.0f), "f"(1.0f))
    VALUEF2("add.sat.f32 %0, %1, %2;", 1.0f, "f"(1.0f), "f"(1.0f))
    VALUE2("cvt.rn.bf16x2.f32 %0, %1, %2;", 0x3f804000u, "f"(1.0f), "f"(2.0f))
    VALUE1("{ .reg .s64 a; cvt.s64.s32 a, %1; shr.s64 a, a, 32; cvt.u32.u64 %0, a; }", 0xffffffffu, "r"((unsigned)-5))
    VALUE2("atom.shared.add.u32 %0, [%1], %2;", 80u, "r"((unsigned)__cvta_generic_to_shared(&s[50])), "r"(0u))
    VALUE2("red.global.add.f32 [%1], %2; mov.u32 %0, 3;", 3u, "l"(x + 54), "f"(0.0f))
    VALUE1("{ .reg .pred p, q; setp.eq.u32 p, %1, 3; vote.sync.any.pred q, p, 0xffffffff; selp.u32 %0, 1, 0, q; }", 1u, "r"(threadIdx.x))
    VALUE1("{ .reg .pred p, q; setp.eq.u32 p, %1, 3; vote.sync.all.pred q, p, 0xffffffff; selp.u32 %0, 1, 0, q; }", 0u, "r"(threadIdx.x))
    VALUE1("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;", threadIdx.x ^ 1u, "r"(threadIdx.x))
    VALUE1("{ .reg .pred p; shfl.sync.up.b32 %0|p, %1, 1, 0, 0xffffffff; selp.u32 %0, 1, 0, p; }", threadIdx.x == 0 ? 0u : 1u, "r"(threadIdx.x))
    VALUE0("fence.acq_rel.gpu; fence.proxy.async; fence.mbarrier_init.release.cluster; membar.cta; mov.u32 %0, 3;", 3u)
    VALUE3("lop3.b32 %0, %1, %2, %3, 0xFE;", 7u, "r"(1u), "r"(2u), "r"(4u))
    VALUE1("clz.b64 %0, %1;", 63u, "l"((long long)1))
    VALUE1("popc.b64 %0, %1;", 3u, "l"((long long)7))
    VALUEF1("{ .reg .f64 a; cvt.f64.f32 a, %1; add.f64 a, a, a; mul.f64 a, a, a; cvt.rn.f32.f64 %0, a; }", 9.0f, "f"(1.5f))
    VALUE0("{ .reg .u32 t; mov.u32 %0, %%lanemask_le; mov.u32 t, %%lanemask_gt; or.b32 %0, %0, t; }", 0xffffffffu)
    VALUE0("{ .reg .u32 t; mov.u32 %0, %%lanemask_ge; mov.u32 t, %%lanemask_eq; xor.b32 %0, %0, t; mov.u32 t, %%lanemask_gt; xor.b32 %0, %0, t; }", 0u)
    VALUE0("mov.u32 %0, %%nclusterid.x; mov.u32 %0, %%cluster_nctarank;", 1u)
}

int main() {
    unsigned *x, h[64];
    cudaMalloc(&x, 4096);
    cudaMemset(x, 0, 4096);
    for (int i = 0; i < 64; ++i) h[i] = 77 + i;
    h[2] = 0xfffffffe;
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    part_1<<<1, 32>>>(x);
    part_2<<<1, 32>>>(x);
    part_3<<<1, 32>>>(x);
    int line = 0;
    if (cudaMemcpyFromSymbol(&line, first_wrong, sizeof line) != cudaSuccess) return 2;
    if (line != 1 << 30) printf("line %d\n", line);
    return line != 1 << 30;
}
