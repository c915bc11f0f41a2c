// Cooperative groups, calls that the other tests leave out: clusters and grids by every call, also
// as plain thread groups, and one thread for all of these.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;
using u64 = unsigned long long;

// --- Clusters and grids --------------------------------------------------------------------------

__device__ u64 packed(dim3 d) { return d.x + 100 * d.y + 10000 * d.z; }
static u64 packed(unsigned x, unsigned y, unsigned z) { return x + 100 * y + 10000 * z; }

constexpr int place_fields = 30;
__global__ void places(u64* out) {
    __shared__ int mine[2];
    const cg::cluster_group cluster = cg::this_cluster();
    const cg::grid_group grid = cg::this_grid();
    const cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() < 2)
        mine[block.thread_rank()] = 100 * int(cluster.block_rank()) + int(block.thread_rank());
    cluster.sync();
    const unsigned last = cluster.num_blocks() - 1 - cluster.block_rank();
    int* const there = cluster.map_shared_rank(mine, static_cast<int>(last));
    const cg::thread_group of_cluster = cluster, of_grid = grid, of_block = block;
    u64 d[place_fields] = {
        packed(cluster.dim_blocks()),
        packed(cluster.block_index()),
        cluster.num_blocks(),
        cluster.block_rank(),
        packed(cluster.dim_threads()),
        packed(cluster.thread_index()),
        cluster.num_threads(),
        cluster.size(),
        cluster.thread_rank(),
        u64(there[1]),
        cluster.query_shared_rank(there + 1),
        cluster.query_shared_rank(mine),
        grid.num_clusters(),
        grid.cluster_rank(),
        packed(grid.dim_clusters()),
        packed(grid.cluster_index()),
        grid.num_blocks(),
        grid.block_rank(),
        packed(grid.block_index()),
        packed(grid.dim_blocks()),
        packed(grid.dim_threads()),
        packed(grid.thread_index()),
        grid.num_threads(),
        grid.thread_rank(),
        packed(block.group_index()),
        packed(block.group_dim()) + packed(block.thread_index()) * 1000000,
        of_cluster.get_type() * 100 + of_grid.get_type() * 10 + of_block.get_type(),
        of_cluster.size() * 1000000 + of_cluster.thread_rank(),
        of_grid.size() * 1000000 + of_grid.thread_rank(),
        cg::group_size(cluster) * 1000000 + cg::thread_rank(of_block)};
    of_cluster.sync();  // before the other block's memory goes
    cluster.barrier_wait(cluster.barrier_arrive());
    cg::cluster_group::barrier_arrive();
    cg::cluster_group::barrier_wait();
    cg::sync(cluster);
    for (int f = 0; f < place_fields; ++f) out[grid.thread_rank() * place_fields + f] = d[f];
}

static void check_places(dim3 cluster) {
    const dim3 grid(4, 2, 6), block(4, 3, 2);
    const unsigned threads = 24, blocks = 48, of_cluster = cluster.x * cluster.y * cluster.z;
    u64* out = managed<u64>(blocks * threads * place_fields, 0);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    cudaLaunchConfig_t config = {grid, block, 0, nullptr, &attribute, 1};
    OK(cudaLaunchKernelEx(&config, places, out));
    OK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < blocks * threads; ++i) {
        const unsigned t = i % threads, b = i / threads, tx = t % 4, ty = t / 4 % 3, tz = t / 12;
        const unsigned bx = b % 4, by = b / 4 % 2, bz = b / 8;
        const unsigned cx = bx % cluster.x, cy = by % cluster.y, cz = bz % cluster.z;
        const unsigned rank = cx + cluster.x * (cy + cluster.y * cz), last = of_cluster - 1 - rank;
        const unsigned nx = 4 / cluster.x, ny = 2 / cluster.y, nz = 6 / cluster.z;
        const unsigned gx = bx / cluster.x, gy = by / cluster.y, gz = bz / cluster.z,
                       in_cluster = rank * threads + t;
        const u64 want[place_fields] = {packed(cluster.x, cluster.y, cluster.z),
                                        packed(cx, cy, cz),
                                        of_cluster,
                                        rank,
                                        packed(4 * cluster.x, 3 * cluster.y, 2 * cluster.z),
                                        packed(cx * 4 + tx, cy * 3 + ty, cz * 2 + tz),
                                        of_cluster * threads,
                                        of_cluster * threads,
                                        in_cluster,
                                        100 * last + 1,
                                        last,
                                        rank,
                                        nx * ny * nz,
                                        gx + nx * (gy + ny * gz),
                                        packed(nx, ny, nz),
                                        packed(gx, gy, gz),
                                        blocks,
                                        b,
                                        packed(bx, by, bz),
                                        packed(4, 2, 6),
                                        packed(16, 6, 12),
                                        packed(bx * 4 + tx, by * 3 + ty, bz * 2 + tz),
                                        blocks * threads,
                                        i,
                                        packed(bx, by, bz),
                                        packed(4, 3, 2) + packed(tx, ty, tz) * 1000000,
                                        634,
                                        u64(of_cluster) * threads * 1000000 + in_cluster,
                                        u64(blocks) * threads * 1000000 + i,
                                        u64(of_cluster) * threads * 1000000 + t};
        for (int f = 0; f < place_fields; ++f)
            expect("place", static_cast<int>(i), f, out[i * place_fields + f], want[f]);
    }
    OK(cudaFree(out));
}

/// A sum over the grid in rounds, each by another way of waiting for all.
__global__ void rounds(u64* cells, u64* out) {
    cg::grid_group grid = cg::this_grid();
    const cg::thread_group any = grid;
    const u64 rank = grid.thread_rank(), n = grid.size();
    u64 value = rank;
    for (int round = 0; round < 3; ++round) {
        cells[rank] = value;
        if (round == 0) grid.sync();
        if (round == 1) any.sync();
        if (round == 2) {
            auto token = grid.barrier_arrive();
            grid.barrier_wait(static_cast<cg::grid_group::arrival_token&&>(token));
        }
        value += cells[(rank + n / 2 + 1) % n];
        cg::sync(grid);
    }
    int* const counter = reinterpret_cast<int*>(out + n);
    cg::invoke_one(
        grid, [=](int by) { atomicAdd(counter, by); }, 7);
    cg::invoke_one(cg::this_cluster(), [=] { atomicAdd(counter, 100); });
    out[rank] = value + 1000000 * grid.is_valid();
}
static void check_rounds() {
    constexpr int blocks = 3, threads = 40, n = blocks * threads;
    u64 *cells = managed<u64>(n, 0), *out = managed<u64>(n + 1, 0);
    void* arguments[] = {&cells, &out};
    OK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(rounds), dim3(blocks), dim3(threads),
                                   arguments, 0, nullptr));
    OK(cudaDeviceSynchronize());
    std::vector<u64> now(n);
    for (int i = 0; i < n; ++i) now[i] = i;
    for (int round = 0; round < 3; ++round) {
        const std::vector<u64> before = now;
        for (int i = 0; i < n; ++i) now[i] += before[(i + n / 2 + 1) % n];
    }
    for (int i = 0; i < n; ++i) expect("rounds", i, 0, out[i], now[i] + 1000000);
    expect("one of the grid", 0, 0, out[n], 7 + 100 * blocks);
    OK(cudaFree(cells)), OK(cudaFree(out));
}

int main() {
    check_places(dim3(1, 1, 1)), check_places(dim3(2, 1, 3)), check_places(dim3(1, 2, 2));
    check_rounds();
    return verdict();
}
