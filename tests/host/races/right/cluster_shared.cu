// right: blocks of a cluster read, write and update each other's shared memory. cluster.sync(),
// arrivals at a barrier in another block, or a flag behind a fence order each access, and no block
// ends before the others have done with it.
#include <cooperative_groups.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <utility>

#include "checked_calls.h"

namespace cg = cooperative_groups;

const int CLUSTER = 4, BLOCK = 64, ROUNDS = 3;
using barrier = cuda::barrier<cuda::thread_scope_block>;

/// Each block sends its values to the next, which waits at a barrier of its own.
__global__ void __cluster_dims__(CLUSTER, 1, 1) ring(int* out) {
    __shared__ int inbox[BLOCK];
    __shared__ alignas(8) char room_full[sizeof(barrier)], room_free[sizeof(barrier)];
    barrier* full = reinterpret_cast<barrier*>(room_full);
    barrier* empty = reinterpret_cast<barrier*>(room_free);
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        init(full, BLOCK);
        init(empty, BLOCK);
    }
    cluster.sync();
    const unsigned next = (rank + 1) % CLUSTER, before = (rank + CLUSTER - 1) % CLUSTER;
    int* to = cluster.map_shared_rank(inbox, next);
    barrier* full_there = cluster.map_shared_rank(full, next);
    barrier* empty_there = cluster.map_shared_rank(empty, before);
    int value = rank * 1000 + threadIdx.x;
    for (int r = 0; r < ROUNDS; ++r) {
        if (r > 0) empty->wait_parity((r - 1) & 1);
        to[threadIdx.x] = value;
        (void)full_there->arrive();
        full->wait_parity(r & 1);
        value = inbox[(threadIdx.x + 1) % BLOCK] + 1;
        (void)empty_there->arrive();
    }
    out[blockIdx.x * BLOCK + threadIdx.x] = value;
    cluster.sync();
}

/// Bins in the blocks of a cluster; halves of the barrier at the end.
__global__ void __cluster_dims__(CLUSTER, 1, 1) histogram(const int* in, int n, int* bins) {
    __shared__ int part[8];
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x < 8) part[threadIdx.x] = 0;
    cluster.sync();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        atomicAdd(cluster.map_shared_rank(part, in[i] / 8) + in[i] % 8, 1);
    cluster.barrier_wait(cluster.barrier_arrive());
    if (threadIdx.x < 8)
        atomicAdd(&bins[cluster.block_rank() * 8 + threadIdx.x], part[threadIdx.x]);
}

/// The first block waits for a flag that the others count up in its shared memory, and then alone
/// reads what they have left in it. They end at once.
__global__ void __cluster_dims__(CLUSTER, 1, 1) gathered(int* out) {
    __shared__ int sums[CLUSTER];
    __shared__ unsigned arrived;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) arrived = 0;
    cluster.sync();
    const int sum = __syncthreads_count((blockIdx.x + threadIdx.x) % 3 == 0);
    if (threadIdx.x == 0) {
        cluster.map_shared_rank(sums, 0)[cluster.block_rank()] = sum;
        cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*cluster.map_shared_rank(&arrived, 0))
            .fetch_add(1, cuda::memory_order_release);
        if (cluster.block_rank() == 0) {
            cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(arrived);
            while (count.load(cuda::memory_order_acquire) != CLUSTER) {
            }
            int all = 0;
            for (int b = 0; b < CLUSTER; ++b) all += sums[b];
            out[blockIdx.x / CLUSTER] = all;
        }
    }
}

int main() {
    const int grid = 2 * CLUSTER, n = grid * BLOCK;
    std::vector<int> in(n), got(n), bins(32), wanted_bins(32), sums(2);
    for (int i = 0; i < n; ++i) ++wanted_bins[in[i] = i * i % 32];
    int *d_in, *d_out, *d_bins;
    CHECK(cudaMalloc(&d_in, n * sizeof(int)));
    CHECK(cudaMalloc(&d_out, n * sizeof(int)));
    CHECK(cudaMalloc(&d_bins, 32 * sizeof(int)));
    CHECK(cudaMemset(d_bins, 0, 32 * sizeof(int)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    ring<<<grid, BLOCK>>>(d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
    histogram<<<grid, BLOCK>>>(d_in, n, d_bins);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(bins.data(), d_bins, 32 * sizeof(int), cudaMemcpyDeviceToHost));
    gathered<<<grid, BLOCK>>>(d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums.data(), d_out, 2 * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = bins == wanted_bins;
    for (int c = 0; c < 2; ++c) {
        int sum = 0;
        for (int i = 0; i < CLUSTER * BLOCK; ++i)
            sum += (c * CLUSTER + i / BLOCK + i % BLOCK) % 3 == 0;
        ok = ok && sums[c] == sum;
    }
    for (int b = 0; b < grid; ++b)
        for (int t = 0; t < BLOCK; ++t) {
            const int from = (b % CLUSTER - ROUNDS + CLUSTER) % CLUSTER;
            ok = ok && got[b * BLOCK + t] == from * 1000 + (t + ROUNDS) % BLOCK + ROUNDS;
        }
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_bins));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
