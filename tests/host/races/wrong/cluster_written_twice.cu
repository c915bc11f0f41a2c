// wrong: both blocks of a cluster write the same words of the first one, and nothing
// orders them: they were to have one half each.
#include <cooperative_groups.h>

#include "checked_calls.h"

namespace cg = cooperative_groups;

const int CLUSTER = 2, BLOCK = 64;

__global__ void __cluster_dims__(CLUSTER, 1, 1) exchange(int* out) {
    __shared__ int first[BLOCK * CLUSTER];
    cg::cluster_group cluster = cg::this_cluster();
    cluster.sync();
    int* to = cluster.map_shared_rank(first, 0) + cluster.block_rank() * (BLOCK - 1);  // not - 1
    to[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;                                 // race
    cluster.sync();
    const int other = cluster.block_rank() ^ 1;
    const int* from = cluster.map_shared_rank(first, 0) + other * (BLOCK - 1);
    out[blockIdx.x * BLOCK + threadIdx.x] = from[threadIdx.x];
    cluster.sync();
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
