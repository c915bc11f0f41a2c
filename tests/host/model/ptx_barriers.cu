// Inline PTX: special registers, also in clusters, barriers of parts of a block, and mbarriers,
// against what the host works out.
#include "ptx_operands.h"

__device__ u32 window(const void* p) { return static_cast<u32>(__cvta_generic_to_shared(p)); }

// --- Special registers ---------------------------------------------------------------------------

#define REGISTER(k, name) asm volatile("mov.u32 %0, %%" name ";" : "=r"(d[k]))
#define OF_SPACE(k, name)                                                                        \
    asm volatile("mov.u32 %0, %%" name ".x; mov.u32 %1, %%" name ".y; mov.u32 %2, %%" name ".z;" \
                 : "=r"(d[k]), "=r"(d[(k) + 1]), "=r"(d[(k) + 2]))
constexpr int registers = 38;
__global__ void special(u32* out) {
    __shared__ u32 fixed[32];
    extern __shared__ u32 dynamic[];
    fixed[threadIdx.x] = dynamic[threadIdx.x] = threadIdx.x;
    __syncthreads();
    const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const u32 thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    u32* d = out + (block * blockDim.x * blockDim.y * blockDim.z + thread) * registers;
    OF_SPACE(0, "tid");
    OF_SPACE(3, "ntid");
    OF_SPACE(6, "ctaid");
    OF_SPACE(9, "nctaid");
    OF_SPACE(12, "cluster_ctaid");
    OF_SPACE(15, "cluster_nctaid");
    OF_SPACE(18, "clusterid");
    OF_SPACE(21, "nclusterid");
    REGISTER(24, "cluster_ctarank");
    REGISTER(25, "cluster_nctarank");
    REGISTER(26, "laneid");
    REGISTER(27, "warpid");
    REGISTER(28, "lanemask_eq");
    REGISTER(29, "lanemask_lt");
    REGISTER(30, "lanemask_le");
    REGISTER(31, "lanemask_gt");
    REGISTER(32, "lanemask_ge");
    REGISTER(33, "dynamic_smem_size");
    REGISTER(34, "total_smem_size");
    u32 sm, sms, warps;
    asm volatile("mov.u32 %0, %%smid; mov.u32 %1, %%nsmid; mov.u32 %2, %%nwarpid;"
                 : "=r"(sm), "=r"(sms), "=r"(warps));
    d[35] = fixed[7 - threadIdx.x] + dynamic[threadIdx.x] == 7 && sm < sms &&
            warps >= (blockDim.x * blockDim.y * blockDim.z + 31) / 32;
    u32 clock, again, high, high_again, low_time, high_time;
    u64 wide, later, time, time_later;
    asm volatile("mov.u32 %0, %%clock_hi; mov.u32 %1, %%clock; mov.u64 %2, %%clock64;"
                 : "=r"(high), "=r"(clock), "=l"(wide));
    asm volatile("mov.u64 %0, %%clock64; mov.u32 %1, %%clock; mov.u32 %2, %%clock_hi;"
                 : "=l"(later), "=r"(again), "=r"(high_again));
    d[36] = later >= wide && again - clock <= 1U << 30 && high_again - high <= 1 &&
            u32(wide >> 32) - high <= 1;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    asm volatile("mov.u32 %0, %%globaltimer_lo; mov.u32 %1, %%globaltimer_hi;"
                 : "=r"(low_time), "=r"(high_time));
    asm volatile("nanosleep.u32 50; mov.u64 %0, %%globaltimer;" : "=l"(time_later));
    d[37] =
        time_later >= time && low_time - u32(time) <= 1U << 30 && high_time - u32(time >> 32) <= 1;
}

static void check_special(dim3 cluster) {
    const dim3 grid(4, 6, 2), block(8, 4, 3);
    const int threads = 96, blocks = 48;
    u32* out = managed<u32>(blocks * threads * registers, 0);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    // 128 bytes of the kernel's own and 256 more: a whole number of what shared memory comes in.
    cudaLaunchConfig_t config = {grid, block, 256, nullptr, &attribute, 1};
    OK(cudaLaunchKernelEx(&config, special, out));
    wait_for_device();
    for (int i = 0; i < blocks * threads; ++i) {
        const u32 t = i % threads, b = i / threads, lane = t % 32;
        const u32 bx = b % 4, by = b / 4 % 6, bz = b / 24;
        const u32 cx = bx % cluster.x, cy = by % cluster.y, cz = bz % cluster.z;
        const u32 want[registers] = {t % 8,
                                     t / 8 % 4,
                                     t / 32,
                                     8,
                                     4,
                                     3,
                                     bx,
                                     by,
                                     bz,
                                     4,
                                     6,
                                     2,
                                     cx,
                                     cy,
                                     cz,
                                     cluster.x,
                                     cluster.y,
                                     cluster.z,
                                     bx / cluster.x,
                                     by / cluster.y,
                                     bz / cluster.z,
                                     4 / cluster.x,
                                     6 / cluster.y,
                                     2 / cluster.z,
                                     cx + cluster.x * (cy + cluster.y * cz),
                                     cluster.x * cluster.y * cluster.z,
                                     lane,
                                     t / 32,
                                     1U << lane,
                                     (1U << lane) - 1,
                                     (1U << lane) * 2 - 1,
                                     ~((1U << lane) * 2 - 1),
                                     ~((1U << lane) - 1),
                                     256,
                                     384,
                                     1,
                                     1,
                                     1};
        for (int k = 0; k < registers; ++k) expect("register", k, out[i * registers + k], want[k]);
    }
    cudaFree(out);
}

// --- Barriers of parts of a block ----------------------------------------------------------------

/// Warps 0 and 1 fill cells, which warps 2 and 3 read; by each form of the instructions.
#define HAND_OVER(k, arrive, sync)                                  \
    if (t < 64) {                                                   \
        cells[t] = t * 3 + (k);                                     \
        asm volatile(arrive " %0, 128;" ::"r"(1 + (k)) : "memory"); \
    } else {                                                        \
        asm volatile(sync " %0, 128;" ::"r"(1 + (k)) : "memory");   \
        out[(k)*64 + t - 64] = cells[127 - t];                      \
    }                                                               \
    asm volatile("bar.sync 0;" ::: "memory")
__global__ void parts(u32* out) {
    __shared__ u32 cells[64];
    const u32 t = threadIdx.x;
    HAND_OVER(0, "bar.arrive", "bar.sync");
    HAND_OVER(1, "bar.cta.arrive", "bar.cta.sync");
    HAND_OVER(2, "barrier.arrive", "barrier.sync");
    HAND_OVER(3, "barrier.cta.arrive", "barrier.cta.sync");
    HAND_OVER(4, "barrier.cta.arrive.aligned", "barrier.cta.sync.aligned");
    u32 d[6];
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 50; bar.red.popc.u32 %0, 0, p; }"
                 : "=r"(d[0])
                 : "r"(t));
#define VOTE(k, how, limit)                                                      \
    asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, " limit "; bar.red." how \
                 ".pred q, 0, p; selp.u32 %0, 1, 0, q; }"                        \
                 : "=r"(d[k])                                                    \
                 : "r"(t))
    VOTE(1, "and", "128");
    VOTE(2, "and", "127");
    VOTE(3, "or", "1");
    VOTE(4, "or", "0");
    for (int k = 0; k < 5; ++k) out[320 + 5 * t + k] = d[k];
}
static void check_parts() {
    u32* out = managed<u32>(320 + 5 * 128, 0);
    parts<<<1, 128>>>(out);
    wait_for_device();
    for (int i = 0; i < 320; ++i) expect("hand over", i, out[i], (63 - i % 64) * 3 + i / 64);
    const u32 votes[] = {50, 1, 0, 1, 0};
    for (int i = 0; i < 5 * 128; ++i) expect("bar.red", i, out[320 + i], votes[i % 5]);
    cudaFree(out);
}

// --- mbarriers -----------------------------------------------------------------------------------

__device__ bool phase_is_over(const u64* b, u32 parity) {
    u32 passed;
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, "
        "p; }"
        : "=r"(passed)
        : "r"(window(b)), "r"(parity)
        : "memory");
    return passed != 0;
}
/// One thread: what is over behind each step.
__global__ void steps(u32* out, const u32* in) {
    __shared__ alignas(16) u32 cells[8];
    __shared__ u64 b;
    u64 state;
    const u32 at = window(&b);
    asm volatile("mbarrier.init.b64 [%0], 3;" ::"l"(&b) : "memory");
    out[0] = phase_is_over(&b, 0), out[1] = phase_is_over(&b, 1);
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], 2;" : "=l"(state) : "r"(at) : "memory");
    out[2] = phase_is_over(&b, 0);
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    out[3] = phase_is_over(&b, 0), out[4] = phase_is_over(&b, 1);
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 32;" ::"r"(at) : "memory");
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1], 3;"
                 : "=l"(state)
                 : "r"(at)
                 : "memory");
    out[5] = phase_is_over(&b, 1);
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::
            "r"(window(cells)),
        "l"(in), "r"(at)
        : "memory");
    u64 policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(policy));
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], "
        "[%1], 16, [%2], %3;" ::"r"(window(cells + 4)),
        "l"(in + 8), "r"(at), "l"(policy)
        : "memory");
    u32 waited = 0;
    asm volatile(
        "{ .reg .pred p; AGAIN: mbarrier.try_wait.shared::cta.b64 p, [%1], %2, 1000; @!p bra "
        "AGAIN; mov.u32 %0, 1; }"
        : "=r"(waited)
        : "r"(at), "l"(state)
        : "memory");
    out[6] = waited && phase_is_over(&b, 1);
    for (int i = 0; i < 8; ++i) out[7 + i] = cells[i];
    // The cell is memory again, and may become another barrier.
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(at) : "memory");
    b = 12345;
    out[15] = static_cast<u32>(b);
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], 0;"
                 : "=l"(state)
                 : "r"(at)
                 : "memory");
    out[16] = phase_is_over(&b, 0);
}
/// Each block arrives at the next block's barrier.
__global__ void __cluster_dims__(4, 1, 1) ring(u32* out) {
    __shared__ u64 b;
    __shared__ u32 from;
    u32 rank, there, cell;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(window(&b)) : "memory");
    asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(cell)
                 : "r"(window(&from)), "r"((rank + 1) % 4));
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(cell), "r"(100 + rank) : "memory");
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(there)
                 : "r"(window(&b)), "r"((rank + 1) % 4));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there)
                 : "memory");
    while (!phase_is_over(&b, 0)) __nanosleep(20);
    out[blockIdx.x] = from;
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}
static void check_mbarriers() {
    u32 *out = managed<u32>(17, 0), *in = managed<u32>(12, 0), *from = managed<u32>(8, 0);
    for (u32 i = 0; i < 12; ++i) in[i] = 500 + i;
    steps<<<1, 1>>>(out, in);
    ring<<<8, 1>>>(from);
    wait_for_device();
    // A barrier without a past has the parity of a phase before its first.
    const u32 want[] = {0, 1, 0, 1, 0, 0, 1, 500, 501, 502, 503, 508, 509, 510, 511, 12345, 1};
    for (int i = 0; i < 17; ++i) expect("mbarrier", i, out[i], want[i]);
    for (u32 i = 0; i < 8; ++i) expect("remote arrival", i, from[i], 100 + (i + 3) % 4);
    cudaFree(out), cudaFree(in), cudaFree(from);
}

int main() {
    check_special(dim3(1, 1, 1));
    check_special(dim3(2, 3, 1));
    check_special(dim3(1, 2, 2));
    check_parts();
    check_mbarriers();
    return verdict();
}
