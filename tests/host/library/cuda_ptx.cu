// cuda::ptx: mbarriers with bulk copies, special registers, clusters, other functions.
#include <cooperative_groups.h>

#include <cstdint>
#include <cuda/barrier>
#include <cuda/ptx>

#include "check.h"

namespace ptx = cuda::ptx;
constexpr int threads = 64, tiles = 5;

/// Tiles in and out of shared memory; two buffers, each with an mbarrier.
__global__ void through_shared(const int* in, int* out, int* sum) {
    __shared__ alignas(16) int tile[2][threads];
    __shared__ std::uint64_t full[2];
    const int self = threadIdx.x;
    if (self == 0) {
        for (std::uint64_t& each : full) ptx::mbarrier_init(&each, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    for (int t = 0; t < tiles; ++t) {
        const int now = t % 2;
        if (self == 0) {
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &full[now], sizeof tile[0]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[now], in + t * threads,
                               sizeof tile[0], &full[now]);
        }
        while (!ptx::mbarrier_try_wait_parity(&full[now], t / 2 % 2)) {
        }
        tile[now][self] += 1000 * self;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (self == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + t * threads, tile[now],
                               sizeof tile[0]);
            ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sum,
                                      tile[now], sizeof tile[0]);
            ptx::cp_async_bulk_commit_group();
        }
    }
    if (self == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

__global__ void arrivals(int* out) {
    __shared__ std::uint64_t met;
    __shared__ int said;
    if (threadIdx.x == 0) ptx::mbarrier_init(&met, threads);
    __syncthreads();
    if (threadIdx.x == 40) said = 7;
    const std::uint64_t phase = ptx::mbarrier_arrive(&met);
    while (!ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cta, &met, phase)) {
    }
    out[threadIdx.x] = said;
}

__global__ void places(unsigned* out) {
    const unsigned self = blockIdx.x * blockDim.x + threadIdx.x;
    out[self] = ptx::get_sreg_ctaid_x() * ptx::get_sreg_ntid_x() + ptx::get_sreg_tid_x();
    out[128 + self] = ptx::get_sreg_laneid() + 100 * ptx::get_sreg_warpid();
    out[256 + self] = ptx::get_sreg_lanemask_le() ^ ptx::get_sreg_dynamic_smem_size();
    out[384 + self] = ptx::shl(1u, threadIdx.x) + ptx::shr(self, 1);
}

__global__ void __cluster_dims__(2) neighbours(int* out) {
    __shared__ int mine;
    mine = 10 * static_cast<int>(ptx::get_sreg_cluster_ctarank()) + 1;
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
    // The neighbour's, by its address in the window of shared memory.
    unsigned window = static_cast<unsigned>(__cvta_generic_to_shared(&mine)), theirs;
    const unsigned other = ptx::get_sreg_cluster_ctarank() ^ 1;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(theirs) : "r"(window), "r"(other));
    int neighbour, same;
    asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(neighbour) : "r"(theirs));
    const auto* const generic =
        static_cast<const int*>(cooperative_groups::this_cluster().map_shared_rank(&mine, other));
    asm volatile("ld.shared::cluster.s32 %0, [%1];"
                 : "=r"(same)
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(generic))));
    if (neighbour != 10 * static_cast<int>(other) + 1 || same != neighbour) mine = -1000;
    if (__isGlobal(generic)) mine = -2000;
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    out[blockIdx.x] = mine + 100 * static_cast<int>(ptx::getctarank(ptx::space_cluster, &mine));
}

/// Each block gives its neighbour values, and arrives at an mbarrier of the neighbour's: the first
/// one by a function, the second one by an instruction.
__global__ void __cluster_dims__(2) handed_over(int* out) {
    __shared__ std::uint64_t full;
    __shared__ int box[32];
    auto cluster = cooperative_groups::this_cluster();
    const unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0) ptx::mbarrier_init(&full, 32);
    cluster.sync();
    for (unsigned round = 0; round < 3; ++round) {
        cluster.map_shared_rank(box, rank ^ 1)[threadIdx.x] =
            static_cast<int>(100 * round + 1000 * rank + threadIdx.x);
        std::uint64_t* const theirs = cluster.map_shared_rank(&full, rank ^ 1);
        if (rank == 0)
            ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, theirs);
        else
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                             static_cast<unsigned>(__cvta_generic_to_shared(theirs)))
                         : "memory");
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &full,
                                              round % 2)) {
        }
        out[(blockIdx.x * 3 + round) * 32 + threadIdx.x] = box[31 - threadIdx.x];
        cluster.sync();
    }
}

/// A barrier of libcu++ is an mbarrier.
__global__ void native(const int* in, int* out) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(16) int tile[threads];
    __shared__ barrier met;
    if (threadIdx.x == 0) {
        init(&met, threads);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof tile,
                           cuda::device::barrier_native_handle(met));
        token = cuda::device::barrier_arrive_tx(met, 1, sizeof tile);
    } else {
        token = met.arrive();
    }
    met.wait(std::move(token));
    out[threadIdx.x] = tile[threads - 1 - threadIdx.x];
    if (threadIdx.x == 0)
        ptx::mbarrier_arrive(cuda::device::barrier_native_handle(met));
    else
        (void)met.arrive();
    met.wait_parity(true);
}

int main() {
    constexpr int n = threads * tiles;
    int *in = managed<int>(n), *out = managed<int>(512), *sum = managed<int>(threads);
    for (int i = 0; i < n; ++i) in[i] = i * i % 101;
    for (int i = 0; i < threads; ++i) sum[i] = 0;
    through_shared<<<1, threads>>>(in, out, sum);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < threads; ++i) {
        int wanted = 0;
        for (int t = 0; t < tiles; ++t) {
            MUST(out[t * threads + i] == in[t * threads + i] + 1000 * i);
            wanted += out[t * threads + i];
        }
        MUST(sum[i] == wanted);
    }
    arrivals<<<1, threads>>>(out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < threads; ++i) MUST(out[i] == 7);
    auto* const u = reinterpret_cast<unsigned*>(out);
    places<<<2, threads, 48>>>(u);
    OK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < 128; ++i) {
        const unsigned t = i % 64, lane = t % 32;
        MUST(u[i] == i && u[128 + i] == lane + t / 32 * 100);
        MUST(u[256 + i] == ((lane == 31 ? ~0u : (2u << lane) - 1) ^ 48u));
        MUST(u[384 + i] == (t < 32 ? 1u << t : 0) + i / 2);
    }
    neighbours<<<4, 1>>>(out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 4; ++i) MUST(out[i] == 110 * (i % 2) + 1);
    handed_over<<<4, 32>>>(out);
    OK(cudaDeviceSynchronize());
    for (int b = 0; b < 4; ++b)
        for (int i = 0; i < 96; ++i)
            MUST(out[b * 96 + i] == i / 32 * 100 + (b % 2 == 0 ? 1000 : 0) + 31 - i % 32);
    native<<<1, threads>>>(in, out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < threads; ++i) MUST(out[i] == in[threads - 1 - i]);
    return verdict();
}
