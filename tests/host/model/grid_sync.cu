// Cooperative launches: this_grid().sync(), its ranks, and the limits of such a launch.
#include <cooperative_groups.h>

#include <utility>

#include "check.h"

namespace cg = cooperative_groups;

// A wave of sums through the whole grid: a block that runs ahead spoils it.
__global__ void waves(int* a, int* b, int n, int rounds) {
    const cg::grid_group grid = cg::this_grid();
    const int i = grid.thread_rank();
    a[i] = i;
    grid.sync();
    for (int r = 0; r < rounds; ++r) {
        b[i] = a[(i + 1) % n] + a[(i + n - 1) % n];
        grid.sync();
        a[i] = b[i] % 1000;
        cg::sync(grid);
    }
}

__global__ void described(unsigned long long* out) {
    const cg::grid_group grid = cg::this_grid();
    const auto block = cg::this_thread_block();
    if (grid.is_valid()) grid.sync();
    if (block.thread_rank() != 0) return;
    unsigned long long* o = out + grid.block_rank() * 5;
    o[0] = grid.size();
    o[1] = grid.thread_rank();
    o[2] = grid.num_blocks();
    o[3] = grid.block_index().y;
    o[4] = grid.dim_blocks().x;
}

// Shared memory lives on across the grid's barrier, early returns and block barriers mix with it.
__global__ void shared_across(int* out, int* sums) {
    __shared__ int mine[64];
    extern __shared__ int more[];
    const cg::grid_group grid = cg::this_grid();
    mine[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    more[threadIdx.x] = -int(blockIdx.x);
    if (threadIdx.x == 0) sums[blockIdx.x] = blockIdx.x;
    __syncthreads();
    grid.sync();
    int sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += sums[b];
    out[grid.thread_rank()] = mine[63 - threadIdx.x] * 10 + sum + more[threadIdx.x];
}

// A barrier of the program's own: blocks of a cooperative launch all run at the same time.
__global__ void by_hand(int* arrived, int* out) {
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < (int)gridDim.x) {
        }
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = *arrived;
}

int main() {
    int blocks = 12, threads = 96, rounds = 5, n = blocks * threads;
    int *a = device<int>(n), *b = device<int>(n);
    void* arguments[] = {&a, &b, &n, &rounds};
    OK(cudaLaunchCooperativeKernel((void*)waves, dim3(blocks), dim3(threads), arguments, 0, 0));
    const std::vector<int> got = taken(a, n);
    std::vector<int> here(n), next(n);
    for (int i = 0; i < n; ++i) here[i] = i;
    for (int r = 0; r < rounds; ++r) {
        for (int i = 0; i < n; ++i) next[i] = (here[(i + 1) % n] + here[(i + n - 1) % n]) % 1000;
        std::swap(here, next);
    }
    for (int i = 0; i < n; ++i) expect("waves", i, got[i], here[i]);
    OK(cudaFree(b));

    unsigned long long* out = device<unsigned long long>(12 * 5);
    void* one[] = {&out};
    OK(cudaLaunchCooperativeKernel(described, dim3(2, 3, 2), dim3(5, 7), one));
    const std::vector<unsigned long long> fields = taken(out, 12 * 5);
    for (unsigned r = 0; r < 12; ++r) {
        const unsigned want[5] = {12 * 35, r * 35, 12, r / 2 % 3, 2};
        for (int f = 0; f < 5; ++f) expect("described", r * 10 + f, fields[r * 5 + f], want[f]);
    }

    int *results = device<int>(8 * 64), *sums = device<int>(8);
    void* two[] = {&results, &sums};
    OK(cudaLaunchCooperativeKernel((const void*)shared_across, dim3(8), dim3(64), two, 256, 0));
    const std::vector<int> across = taken(results, 8 * 64);
    OK(cudaFree(sums));
    for (int i = 0; i < 8 * 64; ++i)
        expect("shared across", i, across[i], (i / 64 * 100 + 63 - i % 64) * 10 + 28 - i / 64);

    int *arrived = device<int>(1), *seen = device<int>(8 * 32);
    OK(cudaMemset(arrived, 0, sizeof(int)));
    void* three[] = {&arrived, &seen};
    OK(cudaLaunchCooperativeKernel((void*)by_hand, dim3(8), dim3(32), three));
    const std::vector<int> all = taken(seen, 8 * 32);
    OK(cudaFree(arrived));
    for (int i = 0; i < 8 * 32; ++i) expect("by hand", i, all[i], 8);

    // As many blocks as fit may be launched together; far more may not.
    int on_each = 0, processors = 0, able = 0;
    OK(cudaDeviceGetAttribute(&able, cudaDevAttrCooperativeLaunch, 0));
    OK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, waves, 1024, 0));
    expect("able", 0, able, 1);
    expect("fits", 0, on_each >= 1 && on_each <= 2 && processors >= 1, 1);
    n = 1024 * 100000;
    expect("too many blocks", 0,
           cudaLaunchCooperativeKernel((void*)waves, dim3(100000), dim3(1024), arguments, 0, 0),
           cudaErrorCooperativeLaunchTooLarge);
    expect("the last error", 0, cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
    return verdict();
}
