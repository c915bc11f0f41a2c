// Cooperative launches of as many blocks as a device holds at a time: more than a program may have
// threads of the operating system.
#include <cooperative_groups.h>

#include <utility>

#include "check.h"

namespace cg = cooperative_groups;

// A wave of sums through the whole grid, as in grid_sync.cu, with barriers of the block between.
__global__ void waves(int* a, int* b, int n, int rounds) {
    extern __shared__ int mine[];
    const cg::grid_group grid = cg::this_grid();
    const int i = grid.thread_rank(), t = threadIdx.x, last = blockDim.x - 1;
    a[i] = i;
    grid.sync();
    for (int r = 0; r < rounds; ++r) {
        mine[last - t] = a[(i + 1) % n] + a[(i + n - 1) % n];
        __syncthreads();
        b[i] = mine[last - t];
        grid.sync();
        a[i] = b[i] % 1000 + (mine[t] < 0);
        grid.sync();
    }
}

// Blocks that never wait need no room of their own.
__global__ void alone(int* out) { atomicAdd(out, 1); }

static void check_waves(int threads, int rounds) {
    int on_each = 0, processors = 0;
    const std::size_t shared = threads * sizeof(int);
    OK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, waves, threads, shared));
    const int blocks = processors * on_each;
    expect("blocks", threads, blocks, threads == 256 ? 132 * 8 : 132 * 32);
    int n = blocks * threads;
    int *a = device<int>(n), *b = device<int>(n);
    void* arguments[] = {&a, &b, &n, &rounds};
    OK(cudaLaunchCooperativeKernel((void*)waves, dim3(blocks), dim3(threads), arguments, shared));
    const std::vector<int> got = taken(a, n);
    OK(cudaFree(b));
    std::vector<int> here(n), next(n);
    for (int i = 0; i < n; ++i) here[i] = i;
    for (int r = 0; r < rounds; ++r) {
        for (int i = 0; i < n; ++i) next[i] = (here[(i + 1) % n] + here[(i + n - 1) % n]) % 1000;
        std::swap(here, next);
    }
    for (int i = 0; i < n; ++i) expect("waves", i, got[i], here[i]);
    int* count = device<int>(1);
    OK(cudaMemset(count, 0, sizeof(int)));
    void* one[] = {&count};
    OK(cudaLaunchCooperativeKernel((void*)alone, dim3(blocks), dim3(threads), one));
    expect("alone", threads, taken(count, 1)[0], n);
}

int main() {
    check_waves(256, 4);
    check_waves(32, 3);
    return verdict();
}
