// wrong: a block may end, and its shared memory with it, while the other of its cluster reads
// there: the last cluster.sync() is missing.
#include <cooperative_groups.h>

#include "checked_calls.h"

namespace cg = cooperative_groups;

const int CLUSTER = 2, BLOCK = 64;

__global__ void __cluster_dims__(CLUSTER, 1, 1) exchange(int* out) {
    __shared__ int mine[BLOCK];
    cg::cluster_group cluster = cg::this_cluster();
    mine[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
    cluster.sync();
    const int* other = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
    out[blockIdx.x * BLOCK + threadIdx.x] = other[threadIdx.x];  // race
}

int main() {
    const int grid = 2 * CLUSTER, n = grid * BLOCK;
    std::vector<int> got(n);
    int* out;
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    exchange<<<grid, BLOCK>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && got[i] == (i / BLOCK ^ 1) * 1000 + i % BLOCK;
    CHECK(cudaFree(out));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
