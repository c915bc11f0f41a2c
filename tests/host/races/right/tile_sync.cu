// right: tiles of eight lanes scan in a global array; tile.sync() orders the stores
// and the reads, and no lane ever reads a cell of another tile.
#include "checked_calls.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

const int TILE = 8;

__global__ void tile_scan(int *a, int rounds) {
    auto tile = cg::tiled_partition<TILE>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int rank = tile.thread_rank();
    // odd tiles go round more often than even ones, so tiles of a warp part ways
    for (int r = 0; r < rounds + (i / TILE) % 2; ++r) {
        for (int d = 1; d < TILE; d *= 2) {
            int v = rank >= d ? a[i - d] : 0;
            tile.sync();
            a[i] += v;
            tile.sync();
        }
    }
}

int main() {
    const int n = 1024, block = 64, rounds = 2;
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i % 9;
    int *a;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMemcpy(a, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    tile_scan<<<n / block, block>>>(a, rounds);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int t = 0; t < n / TILE; ++t)
        for (int r = 0; r < rounds + t % 2; ++r)
            for (int k = 1; k < TILE; ++k) h[t * TILE + k] += h[t * TILE + k - 1];
    bool ok = got == h;
    CHECK(cudaFree(a));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
