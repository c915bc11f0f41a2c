// right: the blocks of a cluster exchange sums through global memory; cluster.sync()
// stands between the stores and the reads, and before the next round's stores.
// Compile for sm_90.
#include "checked_calls.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

const int CLUSTER = 4, BLOCK = 64, ROUNDS = 3;

__global__ void __cluster_dims__(CLUSTER, 1, 1) share(int *a, int *sum) {
    cg::cluster_group cluster = cg::this_cluster();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int first = blockIdx.x - cluster.block_rank();
    for (int r = 0; r < ROUNDS; ++r) {
        int in_block = __syncthreads_count(a[i] & 1);
        if (threadIdx.x == 0) sum[blockIdx.x] = in_block;
        cluster.sync();
        int all = 0;
        for (int b = 0; b < CLUSTER; ++b) all += sum[first + b];
        a[i] = a[i] * 3 + all + r;
        cluster.sync();
    }
}

int main() {
    const int grid = 4 * CLUSTER, n = grid * BLOCK, group = CLUSTER * BLOCK;
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i * i % 23;
    int *a, *sum;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMalloc(&sum, grid * sizeof(int)));
    CHECK(cudaMemcpy(a, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    share<<<grid, BLOCK>>>(a, sum);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int r = 0; r < ROUNDS; ++r)
        for (int first = 0; first < n; first += group) {
            int all = 0;
            for (int i = first; i < first + group; ++i) all += h[i] & 1;
            for (int i = first; i < first + group; ++i) h[i] = h[i] * 3 + all + r;
        }
    bool ok = got == h;
    CHECK(cudaFree(a));
    CHECK(cudaFree(sum));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
