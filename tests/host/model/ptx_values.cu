// Instructions of inline PTX with values worked out by hand: arithmetic with carries, shifts, pairs and
// quads of small integers, elementary functions, loads, copies, votes, barriers and fences.
#include <cuda_runtime.h>

#include <cstdio>

__device__ int first_wrong = 1 << 30;
#define EXPECT(value) \
    if (got != (value)) atomicMin(&first_wrong, __LINE__)

__global__ void part_1(unsigned* x) {
    __shared__ __align__(16) unsigned s[64];
    unsigned mine = 1;
    for (int i = threadIdx.x; i < 64; i += 32) s[i] = 30 + i;
    if (mine == 2) x[60] = 1;
    __syncthreads();
    { unsigned got = 0; asm volatile("mad.hi.u32 %0, %1, %2, %3;"
          : "=r"(got) : "r"(0x80000000u), "r"(6u), "r"(5u) : "memory"); EXPECT(8u); }
    { unsigned got = 0; asm volatile("mad.hi.s32 %0, %1, %2, %3;"
          : "=r"(got) : "r"(0x80000000u), "r"(6u), "r"(5u) : "memory"); EXPECT(2u); }
    { unsigned got = 0; asm volatile("mul.lo.u32 %0, %1, %2;"
          : "=r"(got) : "r"(0x80000001u), "r"(3u) : "memory"); EXPECT(0x80000003u); }
    { unsigned got = 0; asm volatile("{ .reg .u32 t; sub.cc.u32 t, %1, %2; subc.u32 %0, %3, 0; }"
          : "=r"(got) : "r"(1u), "r"(2u), "r"(10u) : "memory"); EXPECT(9u); }
    { unsigned got = 0; asm volatile("{ .reg .u32 t; sub.cc.u32 t, %1, %2; subc.u32 %0, %3, 0; }"
          : "=r"(got) : "r"(3u), "r"(2u), "r"(10u) : "memory"); EXPECT(10u); }
    { unsigned got = 0; asm volatile("{ .reg .u32 t; sub.cc.u32 t, %1, %2; subc.cc.u32 t, 0, 0; subc.u32 %0, %3, 0; }"
          : "=r"(got) : "r"(1u), "r"(2u), "r"(10u) : "memory"); EXPECT(9u); }
    { unsigned got = 0; asm volatile("{ .reg .u32 t; add.cc.u32 t, %1, %2; addc.cc.u32 t, %1, 0; addc.u32 %0, %3, 0; }"
          : "=r"(got) : "r"(0xffffffffu), "r"(2u), "r"(10u) : "memory"); EXPECT(11u); }
    { unsigned got = 0; asm volatile("{ .reg .u32 t; mad.lo.cc.u32 t, %1, %2, %3; madc.hi.u32 %0, %1, %2, %4; }"
          : "=r"(got) : "r"(0xffffffffu), "r"(0xffffffffu), "r"(0xffffffffu), "r"(1u) : "memory"); EXPECT(0xffffffffu+1u+0u); }
    { unsigned got = 0; asm volatile("{ .reg .u32 t; mad.hi.cc.u32 t, %1, %2, %3; addc.u32 %0, 0, 0; }"
          : "=r"(got) : "r"(0xffffffffu), "r"(0xffffffffu), "r"(5u) : "memory"); EXPECT(1u); }
    { unsigned got = 0; asm volatile("{ .reg .u32 t; add.cc.u32 t, %1, %1; madc.lo.cc.u32 %0, 2, 3, %2; }"
          : "=r"(got) : "r"(0xffffffffu), "r"(4u) : "memory"); EXPECT(11u); }
    { unsigned got = 0; asm volatile("{ .reg .u32 t; add.cc.u32 t, %1, %1; madc.hi.cc.u32 %0, %1, %1, %2; }"
          : "=r"(got) : "r"(0xffffffffu), "r"(4u) : "memory"); EXPECT(0xfffffffeu+4u+1u); }
    { unsigned got = 0; asm volatile("{ .reg .u32 t; add.cc.u32 t, %1, %1; madc.lo.u32 %0, 2, 3, %2; }"
          : "=r"(got) : "r"(0xffffffffu), "r"(4u) : "memory"); EXPECT(11u); }
    { unsigned got = 0; asm volatile("shf.l.clamp.b32 %0, %1, %2, %3;"
          : "=r"(got) : "r"(0x11223344u), "r"(0x55667788u), "r"(40u) : "memory"); EXPECT(0x11223344u); }
    { unsigned got = 0; asm volatile("shf.r.clamp.b32 %0, %1, %2, %3;"
          : "=r"(got) : "r"(0x11223344u), "r"(0x55667788u), "r"(40u) : "memory"); EXPECT(0x55667788u); }
    { unsigned got = 0; asm volatile("shf.r.wrap.b32 %0, %1, %2, %3;"
          : "=r"(got) : "r"(0x11223344u), "r"(0x55667788u), "r"(8u) : "memory"); EXPECT(0x88112233u); }
    { unsigned got = 0; asm volatile("shf.r.wrap.b32 %0, %1, %2, %3;"
          : "=r"(got) : "r"(0x11223344u), "r"(0x55667788u), "r"(40u) : "memory"); EXPECT(0x88112233u); }
    { unsigned got = 0; asm volatile("rem.s32 %0, %1, %2;"
          : "=r"(got) : "r"((unsigned)-7), "r"(3u) : "memory"); EXPECT((unsigned)-1); }
    { unsigned got = 0; asm volatile("rem.u32 %0, %1, %2;"
          : "=r"(got) : "r"(17u), "r"(5u) : "memory"); EXPECT(2u); }
    { unsigned got = 0; asm volatile("sad.u32 %0, %1, %2, %3;"
          : "=r"(got) : "r"(3u), "r"(10u), "r"(100u) : "memory"); EXPECT(107u); }
    { unsigned got = 0; asm volatile("sad.s32 %0, %1, %2, %3;"
          : "=r"(got) : "r"((unsigned)-3), "r"(10u), "r"(100u) : "memory"); EXPECT(113u); }
    { unsigned got = 0; asm volatile("shl.b32 %0, %1, %2;"
          : "=r"(got) : "r"(3u), "r"(31u) : "memory"); EXPECT(0x80000000u); }
    { unsigned got = 0; asm volatile("shl.b32 %0, %1, %2;"
          : "=r"(got) : "r"(3u), "r"(32u) : "memory"); EXPECT(0u); }
    { unsigned got = 0; asm volatile("xor.b32 %0, %1, %2;"
          : "=r"(got) : "r"(0xf0u), "r"(0xffu) : "memory"); EXPECT(0xfu); }
    { unsigned got = 0; asm volatile("or.b32 %0, %1, %2;"
          : "=r"(got) : "r"(0xf0u), "r"(0xfu) : "memory"); EXPECT(0xffu); }
    { unsigned got = 0; asm volatile("and.b32 %0, %1, %2;"
          : "=r"(got) : "r"(0xf0u), "r"(0x3fu) : "memory"); EXPECT(0x30u); }
    { unsigned got = 0; asm volatile("not.b32 %0, %1;"
          : "=r"(got) : "r"(0xf0u) : "memory"); EXPECT(0xffffff0fu); }
    { unsigned got = 0; asm volatile("neg.s32 %0, %1;"
          : "=r"(got) : "r"(5u) : "memory"); EXPECT((unsigned)-5); }
    { unsigned got = 0; asm volatile("abs.s32 %0, %1;"
          : "=r"(got) : "r"((unsigned)-5) : "memory"); EXPECT(5u); }
    { unsigned got = 0; asm volatile("vavrg2.u32.u32.u32 %0, %1, %2, %3;"
          : "=r"(got) : "r"(0x00010003u), "r"(0x00030006u), "r"(0u) : "memory"); EXPECT(0x00020005u); }
    { unsigned got = 0; asm volatile("vadd2.u32.u32.u32 %0, %1, %2, %3;"
          : "=r"(got) : "r"(0xffff0003u), "r"(0x00030006u), "r"(0u) : "memory"); EXPECT(0x00020009u); }
}

__global__ void part_2(unsigned* x) {
    __shared__ __align__(16) unsigned s[64];
    unsigned mine = 1;
    for (int i = threadIdx.x; i < 64; i += 32) s[i] = 30 + i;
    if (mine == 2) x[60] = 1;
    __syncthreads();
    { unsigned got = 0; asm volatile("vmax2.s32.s32.s32 %0, %1, %2, %3;"
          : "=r"(got) : "r"(0xffff0003u), "r"(0x00030001u), "r"(0u) : "memory"); EXPECT(0x00030003u); }
    { unsigned got = 0; asm volatile("vmin4.u32.u32.u32 %0, %1, %2, %3;"
          : "=r"(got) : "r"(0x01ff0203u), "r"(0x02010304u), "r"(0u) : "memory"); EXPECT(0x01010203u); }
    { unsigned got = 0; asm volatile("vsub4.u32.u32.u32 %0, %1, %2, %3;"
          : "=r"(got) : "r"(0x01ff0203u), "r"(0x02010304u), "r"(0u) : "memory"); EXPECT(0xfffeffffu); }
    { unsigned got = 0; asm volatile("vabsdiff2.u32.u32.u32 %0, %1, %2, %3;"
          : "=r"(got) : "r"(0x00010003u), "r"(0x00030001u), "r"(0u) : "memory"); EXPECT(0x00020002u); }
    { unsigned got = 0; asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;"
          : "=r"(got) : "r"(3u) : "memory"); EXPECT(96u); }
    { unsigned got = 0; asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;"
          : "=r"(got) : "r"(threadIdx.x) : "memory"); EXPECT(31u); }
    { unsigned got = 0; asm volatile("redux.sync.xor.b32 %0, %1, 0xffffffff;"
          : "=r"(got) : "r"(threadIdx.x) : "memory"); EXPECT(0u); }
    { unsigned got = 0; asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;"
          : "=r"(got) : "r"(threadIdx.x % 2) : "memory"); EXPECT(threadIdx.x % 2 ? 0xaaaaaaaau : 0x55555555u); }
    { unsigned got = 0; asm volatile("activemask.b32 %0;"
          : "=r"(got) :: "memory"); EXPECT(0xffffffffu); }
    { unsigned got = 0; asm volatile("bar.warp.sync 0xffffffff; mov.u32 %0, 3;"
          : "=r"(got) :: "memory"); EXPECT(3u); }
    { unsigned got = 0; asm volatile("nanosleep.u32 20; mov.u32 %0, 3;"
          : "=r"(got) :: "memory"); EXPECT(3u); }
    { unsigned got = 0; asm volatile("griddepcontrol.wait; griddepcontrol.launch_dependents; mov.u32 %0, 3;"
          : "=r"(got) :: "memory"); EXPECT(3u); }
    { unsigned got = 0; asm volatile("barrier.sync 0; bar.cta.sync 0; barrier.cta.sync 0; mov.u32 %0, 3;"
          : "=r"(got) :: "memory"); EXPECT(3u); }
    { unsigned got = 0; asm volatile("barrier.sync 1, 32; bar.sync 2, 32; mov.u32 %0, 3;"
          : "=r"(got) :: "memory"); EXPECT(3u); }
    { unsigned got = 0; asm volatile("{ .reg .pred p, q; setp.eq.u32 p, %1, 5; bar.red.or.pred q, 0, p; selp.u32 %0, 7, 8, q; }"
          : "=r"(got) : "r"(threadIdx.x) : "memory"); EXPECT(7u); }
    { unsigned got = 0; asm volatile("{ .reg .pred p; isspacep.local p, %1; selp.u32 %0, 1, 0, p; }"
          : "=r"(got) : "l"(&mine) : "memory"); EXPECT(1u); }
    { unsigned got = 0; asm volatile("{ .reg .u64 a, b; cvta.to.global.u64 a, %1; cvta.global.u64 b, a; sub.u64 a, b, %1; cvt.u32.u64 %0, a; }"
          : "=r"(got) : "l"(x) : "memory"); EXPECT(0u); }
    { unsigned got = 0; asm volatile("{ .reg .u64 a; cvta.to.shared.u64 a, %1; ld.shared.u32 %0, [a]; }"
          : "=r"(got) : "l"(&s[3]) : "memory"); EXPECT(33u); }
    { unsigned got = 0; asm volatile("{ .reg .u64 a; .reg .u32 b; cvta.to.shared.u64 a, %1; cvt.u32.u64 b, a; ld.shared.u32 %0, [b+4]; }"
          : "=r"(got) : "l"(&s[3]) : "memory"); EXPECT(34u); }
    { unsigned got = 0; asm volatile("ldu.global.u32 %0, [%1];"
          : "=r"(got) : "l"(x) : "memory"); EXPECT(77u); }
    { unsigned got = 0; asm volatile("{ .reg .u32 t; ld.global.v2.u32 {t, %0}, [%1]; }"
          : "=r"(got) : "l"(x) : "memory"); EXPECT(78u); }
    { unsigned got = 0; asm volatile("ld.global.u8 %0, [%1];"
          : "=r"(got) : "l"(x) : "memory"); EXPECT(77u); }
    { unsigned got = 0; asm volatile("ld.global.s8 %0, [%1];"
          : "=r"(got) : "l"(x + 2) : "memory"); EXPECT((unsigned)-2); }
    { unsigned got = 0; asm volatile("ld.global.nc.u16 %0, [%1];"
          : "=r"(got) : "l"(x + 2) : "memory"); EXPECT(0xfffeu); }
    if (threadIdx.x == 0) { unsigned got = 0; asm volatile("cp.async.ca.shared.global [%1], [%2], 4; cp.async.commit_group; cp.async.wait_group 0; ld.shared.u32 %0, [%1];"
          : "=r"(got) : "r"((unsigned)__cvta_generic_to_shared(&s[40])), "l"(x) : "memory"); EXPECT(77u); }
    if (threadIdx.x == 0) { unsigned got = 0; asm volatile("cp.async.cg.shared.global [%1], [%2], 16, 4; cp.async.wait_all; ld.shared.u32 %0, [%1+4];"
          : "=r"(got) : "r"((unsigned)__cvta_generic_to_shared(&s[40])), "l"(x) : "memory"); EXPECT(0u); }
    if (threadIdx.x == 0) { unsigned got = 0; asm volatile("cp.async.ca.shared.global.L2::128B [%1], [%2], 8; cp.async.wait_all; ld.shared.u32 %0, [%1+4];"
          : "=r"(got) : "r"((unsigned)__cvta_generic_to_shared(&s[40])), "l"(x) : "memory"); EXPECT(78u); }
    { unsigned got = 0; asm volatile("{ .reg .u64 a; mapa.u64 a, %1, 0; ld.u32 %0, [a]; }"
          : "=r"(got) : "l"(&s[3]) : "memory"); EXPECT(33u); }
    { unsigned got = 0; asm volatile("prefetchu.L1 [%1]; discard.global.L2 [%1], 128; applypriority.global.L2::evict_normal [%1], 128; mov.u32 %0, 3;"
          : "=r"(got) : "l"(x + 64) : "memory"); EXPECT(3u); }
    { unsigned got = 0; asm volatile("cp.async.bulk.prefetch.L2.global [%1], 16; mov.u32 %0, 3;"
          : "=r"(got) : "l"(x) : "memory"); EXPECT(3u); }
}

__global__ void part_3(unsigned* x) {
    __shared__ __align__(16) unsigned s[64];
    unsigned mine = 1;
    for (int i = threadIdx.x; i < 64; i += 32) s[i] = 30 + i;
    if (mine == 2) x[60] = 1;
    __syncthreads();
    { float got = 0; asm volatile("sqrt.rn.f32 %0, %1;"
          : "=f"(got) : "f"(9.0f) : "memory"); EXPECT(3.0f); }
    { float got = 0; asm volatile("sqrt.approx.f32 %0, %1;"
          : "=f"(got) : "f"(9.0f) : "memory"); EXPECT(3.0f); }
    { float got = 0; asm volatile("rsqrt.approx.f32 %0, %1;"
          : "=f"(got) : "f"(4.0f) : "memory"); EXPECT(0.5f); }
    { float got = 0; asm volatile("rcp.rn.f32 %0, %1;"
          : "=f"(got) : "f"(4.0f) : "memory"); EXPECT(0.25f); }
    { float got = 0; asm volatile("rcp.approx.ftz.f32 %0, %1;"
          : "=f"(got) : "f"(4.0f) : "memory"); EXPECT(0.25f); }
    { float got = 0; asm volatile("lg2.approx.f32 %0, %1;"
          : "=f"(got) : "f"(8.0f) : "memory"); EXPECT(3.0f); }
    { float got = 0; asm volatile("sin.approx.f32 %0, %1;"
          : "=f"(got) : "f"(0.0f) : "memory"); EXPECT(0.0f); }
    { float got = 0; asm volatile("cos.approx.f32 %0, %1;"
          : "=f"(got) : "f"(0.0f) : "memory"); EXPECT(1.0f); }
    { float got = 0; asm volatile("tanh.approx.f32 %0, %1;"
          : "=f"(got) : "f"(0.0f) : "memory"); EXPECT(0.0f); }
    { float got = 0; asm volatile("mad.rn.f32 %0, %1, %2, %3;"
          : "=f"(got) : "f"(2.0f), "f"(3.0f), "f"(1.0f) : "memory"); EXPECT(7.0f); }
    { float got = 0; asm volatile("div.rn.f32 %0, %1, %2;"
          : "=f"(got) : "f"(1.0f), "f"(4.0f) : "memory"); EXPECT(0.25f); }
    { float got = 0; asm volatile("div.full.f32 %0, %1, %2;"
          : "=f"(got) : "f"(1.0f), "f"(4.0f) : "memory"); EXPECT(0.25f); }
    { float got = 0; asm volatile("add.rn.ftz.f32 %0, %1, %2;"
          : "=f"(got) : "f"(1.0f), "f"(1.0f) : "memory"); EXPECT(2.0f); }
    { float got = 0; asm volatile("add.sat.f32 %0, %1, %2;"
          : "=f"(got) : "f"(1.0f), "f"(1.0f) : "memory"); EXPECT(1.0f); }
    { unsigned got = 0; asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;"
          : "=r"(got) : "f"(1.0f), "f"(2.0f) : "memory"); EXPECT(0x3f804000u); }
    { unsigned got = 0; asm volatile("{ .reg .s64 a; cvt.s64.s32 a, %1; shr.s64 a, a, 32; cvt.u32.u64 %0, a; }"
          : "=r"(got) : "r"((unsigned)-5) : "memory"); EXPECT(0xffffffffu); }
    { unsigned got = 0; asm volatile("atom.shared.add.u32 %0, [%1], %2;"
          : "=r"(got) : "r"((unsigned)__cvta_generic_to_shared(&s[50])), "r"(0u) : "memory"); EXPECT(80u); }
    { unsigned got = 0; asm volatile("red.global.add.f32 [%1], %2; mov.u32 %0, 3;"
          : "=r"(got) : "l"(x + 54), "f"(0.0f) : "memory"); EXPECT(3u); }
    { unsigned got = 0; asm volatile("{ .reg .pred p, q; setp.eq.u32 p, %1, 3; vote.sync.any.pred q, p, 0xffffffff; selp.u32 %0, 1, 0, q; }"
          : "=r"(got) : "r"(threadIdx.x) : "memory"); EXPECT(1u); }
    { unsigned got = 0; asm volatile("{ .reg .pred p, q; setp.eq.u32 p, %1, 3; vote.sync.all.pred q, p, 0xffffffff; selp.u32 %0, 1, 0, q; }"
          : "=r"(got) : "r"(threadIdx.x) : "memory"); EXPECT(0u); }
    { unsigned got = 0; asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;"
          : "=r"(got) : "r"(threadIdx.x) : "memory"); EXPECT(threadIdx.x ^ 1u); }
    { unsigned got = 0; asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %1, 1, 0, 0xffffffff; selp.u32 %0, 1, 0, p; }"
          : "=r"(got) : "r"(threadIdx.x) : "memory"); EXPECT(threadIdx.x == 0 ? 0u : 1u); }
    { unsigned got = 0; asm volatile("fence.acq_rel.gpu; fence.proxy.async; fence.mbarrier_init.release.cluster; membar.cta; mov.u32 %0, 3;"
          : "=r"(got) :: "memory"); EXPECT(3u); }
    { unsigned got = 0; asm volatile("lop3.b32 %0, %1, %2, %3, 0xFE;"
          : "=r"(got) : "r"(1u), "r"(2u), "r"(4u) : "memory"); EXPECT(7u); }
    { unsigned got = 0; asm volatile("clz.b64 %0, %1;"
          : "=r"(got) : "l"((long long)1) : "memory"); EXPECT(63u); }
    { unsigned got = 0; asm volatile("popc.b64 %0, %1;"
          : "=r"(got) : "l"((long long)7) : "memory"); EXPECT(3u); }
    { float got = 0; asm volatile("{ .reg .f64 a; cvt.f64.f32 a, %1; add.f64 a, a, a; mul.f64 a, a, a; cvt.rn.f32.f64 %0, a; }"
          : "=f"(got) : "f"(1.5f) : "memory"); EXPECT(9.0f); }
    { unsigned got = 0; asm volatile("{ .reg .u32 t; mov.u32 %0, %%lanemask_le; mov.u32 t, %%lanemask_gt; or.b32 %0, %0, t; }"
          : "=r"(got) :: "memory"); EXPECT(0xffffffffu); }
    { unsigned got = 0; asm volatile("{ .reg .u32 t; mov.u32 %0, %%lanemask_ge; mov.u32 t, %%lanemask_eq; xor.b32 %0, %0, t; mov.u32 t, %%lanemask_gt; xor.b32 %0, %0, t; }"
          : "=r"(got) :: "memory"); EXPECT(0u); }
    { unsigned got = 0; asm volatile("mov.u32 %0, %%nclusterid.x; mov.u32 %0, %%cluster_nctarank;"
          : "=r"(got) :: "memory"); EXPECT(1u); }
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
