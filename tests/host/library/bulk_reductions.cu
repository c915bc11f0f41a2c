// Inline PTX: cp.reduce.async.bulk, which combines shared memory with global memory, or with
// another block's of the cluster and counts on its mbarrier.
#include <cooperative_groups.h>

#include <cstdint>

#include "check.h"

namespace cg = cooperative_groups;

constexpr int items = 32;

__device__ unsigned at(const void* shared) {
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

__global__ void to_global(unsigned* sums, int* least, unsigned* bits, double* reals) {
    alignas(16) __shared__ unsigned words[items];
    alignas(16) __shared__ int numbers[items];
    alignas(16) __shared__ double values[items];
    const unsigned i = threadIdx.x;
    words[i] = i + blockIdx.x;
    numbers[i] = static_cast<int>(i) - 10 * static_cast<int>(blockIdx.x);
    values[i] = 0.5 * i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (i == 0) {
        asm volatile(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(
                sums),
            "r"(at(words)), "r"(items * 4)
            : "memory");
        asm volatile(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [%0], [%1], %2;" ::"l"(
                least),
            "r"(at(numbers)), "r"(items * 4)
            : "memory");
        asm volatile(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b32 [%0], [%1], %2;" ::"l"(bits),
            "r"(at(words)), "r"(items * 4)
            : "memory");
        asm volatile(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%0], [%1], %2;" ::"l"(
                reals),
            "r"(at(values)), "r"(items * 8)
            : "memory");
        asm volatile("cp.async.bulk.commit_group;");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

__global__ void __cluster_dims__(2, 1, 1) to_first(unsigned* sums) {
    alignas(16) __shared__ unsigned mine[items], gathered[items];
    alignas(8) __shared__ std::uint64_t barrier;
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned i = threadIdx.x;
    mine[i] = i * (cluster.block_rank() + 1);
    gathered[i] = 1000;
    if (i == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&barrier)));
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(&barrier)),
                     "r"(cluster.block_rank() == 0 ? 2 * items * 4 : 0));
    }
    cluster.sync();
    if (i == 0) {
        unsigned to, counted;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(to) : "r"(at(gathered)));
        asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(counted) : "r"(at(&barrier)));
        asm volatile(
            "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 "
            "[%0], [%1], %2, [%3];" ::"r"(to),
            "r"(at(mine)), "r"(items * 4), "r"(counted)
            : "memory");
    }
    if (cluster.block_rank() == 0) {
        unsigned done = 0;
        while (done == 0)
            asm volatile(
                "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, "
                "1, 0, p; }"
                : "=r"(done)
                : "r"(at(&barrier))
                : "memory");
        sums[i] = gathered[i];
    }
    cluster.sync();
}

int main() {
    unsigned *sums = managed<unsigned>(items), *bits = managed<unsigned>(items);
    int* least = managed<int>(items);
    double* reals = managed<double>(items);
    for (int i = 0; i < items; ++i) sums[i] = bits[i] = 0, least[i] = 100, reals[i] = 1;
    to_global<<<4, items>>>(sums, least, bits, reals);
    OK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < items; ++i) {
        MUST(sums[i] == 4 * i + 6);
        MUST(least[i] == static_cast<int>(i) - 30);
        MUST(bits[i] == (i | (i + 1) | (i + 2) | (i + 3)));
        MUST(reals[i] == 1 + 2.0 * i);
    }
    to_first<<<2, items>>>(sums);
    OK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < items; ++i) MUST(sums[i] == 1000 + 3 * i);
    return verdict();
}
