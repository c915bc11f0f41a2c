// Thread block clusters: their shapes and ranks, distributed shared memory, and what is refused.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

/// Each block gives its values to the other of its pair.
__global__ void __cluster_dims__(2, 1, 1) swap(int* out) {
    __shared__ int mine[32];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank();
    mine[threadIdx.x] = 100 * blockIdx.x + threadIdx.x;
    cluster.sync();
    const int* other = cluster.map_shared_rank(mine, rank ^ 1);
    out[blockIdx.x * 32 + threadIdx.x] =
        other[threadIdx.x] + 10000 * (cluster.query_shared_rank(other) == (rank ^ 1));
    cluster.sync();
}

/// A histogram whose bins are spread over the cluster: atomics on other blocks' shared memory.
template <class T>
__global__ void count(T* bins, int each, const T* in, int n) {
    extern __shared__ T part[];
    auto cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < each; i += blockDim.x) part[i] = 0;
    cluster.sync();
    for (int i = cg::this_grid().thread_rank(); i < n; i += blockDim.x * gridDim.x)
        atomicAdd(cluster.map_shared_rank(part, in[i] / each) + in[i] % each, 1);
    cluster.barrier_wait(cluster.barrier_arrive());
    for (int i = threadIdx.x; i < each; i += blockDim.x)
        atomicAdd(bins + cluster.block_rank() * each + i, part[i]);
}

/// A block that ends early is not waited for.
__global__ void __cluster_dims__(4) early(int* out) {
    auto cluster = cg::this_cluster();
    if (cluster.block_rank() == 3) return;
    cluster.sync();
    if (threadIdx.x == 0) atomicAdd(out, 1);
    cluster.sync();
}

/// The same without cooperative groups.
__global__ void __cluster_dims__(2, 1, 1) swap_plainly(int* out) {
    __shared__ int mine[32];
    const unsigned rank = __clusterRelativeBlockRank();
    mine[threadIdx.x] = 100 * __clusterIdx().x + 10 * rank;
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    const int* other = static_cast<const int*>(__cluster_map_shared_rank(mine, rank ^ 1));
    out[blockIdx.x * 32 + threadIdx.x] =
        other[threadIdx.x] + (__clusterSizeInBlocks() == 2 && __clusterDim().x == 2);
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
}

/// And by instructions.
__global__ void __cluster_dims__(2, 1, 1) swap_by_instructions(int* out) {
    __shared__ int mine[32];
    unsigned rank, size, cluster;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(cluster));
    mine[threadIdx.x] = 100 * cluster + 10 * rank;
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::: "memory");
    const int* other = cg::this_cluster().map_shared_rank(mine, rank ^ 1);
    out[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x] + (size == 2);
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

struct place {
    dim3 block, blocks, thread, grid, at;
    unsigned block_rank, thread_rank, threads, cluster_rank;
};
__global__ void where(place* to) {
    auto cluster = cg::this_cluster();
    auto grid = cg::this_grid();
    to[grid.block_rank() * blockDim.x + threadIdx.x] = {
        cluster.block_index(),   cluster.dim_blocks(),  cluster.thread_index(),
        grid.dim_clusters(),     grid.cluster_index(),  cluster.block_rank(),
        cluster.thread_rank(),   cluster.num_threads(), (unsigned)grid.cluster_rank()};
}

int main() {
    int* out = managed<int>(8 * 32);
    cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, swap));
    MUST(attributes.requiredClusterWidth == 2 && attributes.requiredClusterHeight == 1);

    swap<<<8, 32>>>(out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 256; ++i) MUST(out[i] == 10000 + 100 * (i / 32 ^ 1) + i % 32);

    swap_plainly<<<8, 32>>>(out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 256; ++i) MUST(out[i] == 100 * (i / 64) + 10 * (i / 32 % 2 ^ 1) + 1);

    swap_by_instructions<<<8, 32>>>(out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 256; ++i) MUST(out[i] == 100 * (i / 64) + 10 * (i / 32 % 2 ^ 1) + 1);

    const int n = 5000, all = 64;
    int *in = managed<int>(n), *bins = managed<int>(all);
    for (const unsigned size : {1U, 2U, 4U, 8U, 16U}) {
        for (int i = 0; i < n; ++i) in[i] = i * 7919 % all;
        cudaMemset(bins, 0, all * sizeof(int));
        cudaLaunchAttribute attribute[1];
        attribute[0].id = cudaLaunchAttributeClusterDimension;
        attribute[0].val.clusterDim.x = size;
        attribute[0].val.clusterDim.y = 1;
        attribute[0].val.clusterDim.z = 1;
        cudaLaunchConfig_t config = {};
        config.gridDim = 16;
        config.blockDim = 64;
        config.dynamicSmemBytes = all / size * sizeof(int);
        config.attrs = attribute;
        config.numAttrs = 1;
        int most = 0, clusters = 0;
        if (size == 16) {
            MUST(cudaLaunchKernelEx(&config, count<int>, bins, 4, (const int*)in, n) ==
                 cudaErrorInvalidClusterSize);
            MUST(cudaGetLastError() == cudaErrorInvalidClusterSize);
            OK(cudaFuncSetAttribute(count<int>, cudaFuncAttributeNonPortableClusterSizeAllowed,
                                      1));
        }
        OK(cudaOccupancyMaxPotentialClusterSize(&most, count<int>, &config));
        MUST(most == (size == 16 ? 16 : 8));
        OK(cudaOccupancyMaxActiveClusters(&clusters, count<int>, &config));
        MUST(clusters > 0);
        OK(cudaLaunchKernelEx(&config, count<int>, bins, all / (int)size, (const int*)in, n));
        OK(cudaDeviceSynchronize());
        for (int b = 0; b < all; ++b) {
            int wanted = 0;
            for (int i = 0; i < n; ++i) wanted += in[i] == b;
            MUST(bins[b] == wanted);
        }
    }
    out[0] = 0;
    early<<<8, 32>>>(out);
    MUST(cudaDeviceSynchronize() == cudaSuccess && out[0] == 6);
    swap<<<7, 32>>>(out);  // no whole number of clusters
    MUST(cudaGetLastError() != cudaSuccess);

    place* places;
    const dim3 grid(4, 6, 2);
    cudaMallocManaged(&places, 48 * 2 * sizeof(place));
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = 3;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {grid, dim3(2), 0, nullptr, &attribute, 1};
    OK(cudaLaunchKernelEx(&config, where, places));
    OK(cudaDeviceSynchronize());
    for (unsigned z = 0; z < 2; ++z)
        for (unsigned y = 0; y < 6; ++y)
            for (unsigned x = 0; x < 4; ++x)
                for (unsigned t = 0; t < 2; ++t) {
                    const place& p = places[2 * (x + 4 * (y + 6 * z)) + t];
                    MUST(p.block.x == x % 2 && p.block.y == y % 3 && p.block.z == 0);
                    MUST(p.blocks.x == 2 && p.blocks.y == 3 && p.blocks.z == 1);
                    MUST(p.thread.x == x % 2 * 2 + t && p.thread.y == y % 3);
                    MUST(p.grid.x == 2 && p.grid.y == 2 && p.grid.z == 2);
                    MUST(p.at.x == x / 2 && p.at.y == y / 3 && p.at.z == z);
                    MUST(p.block_rank == x % 2 + 2 * (y % 3) && p.threads == 12);
                    MUST(p.thread_rank == 2 * p.block_rank + t);
                    MUST(p.cluster_rank == x / 2 + 2 * (y / 3 + 2 * z));
                }
    // Without clusters a block is one of its own.
    where<<<2, 2>>>(places);
    OK(cudaDeviceSynchronize());
    MUST(places[3].blocks.x == 1 && places[3].cluster_rank == 1 && places[3].thread_rank == 1);
    return verdict();
}
