// wrong: blocks of a cluster exchange sums through global memory but only __syncthreads
// stands between, the two lines that race: the store and the read of sum[].
// Compile for sm_90.
#include "checked_calls.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

const int CLUSTER = 4, BLOCK = 64;

__global__ void __cluster_dims__(CLUSTER, 1, 1) offsets(const int *in, int *sum, int *out) {
    cg::cluster_group cluster = cg::this_cluster();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int odd = __syncthreads_count(in[i] & 1);
    if (threadIdx.x == 0) sum[blockIdx.x] = odd;  // race A
    __syncthreads();  // should be: cluster.sync()
    int before = 0;
    for (int b = blockIdx.x - cluster.block_rank(); b < blockIdx.x; ++b)
        before += sum[b];  // race B
    out[i] = before;
}

int main() {
    const int grid = 4 * CLUSTER, n = grid * BLOCK;
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i * i % 31;
    int *in, *sum, *out;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&sum, grid * sizeof(int)));
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    offsets<<<grid, BLOCK>>>(in, sum, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int b = 0, before = 0; b < grid; ++b) {
        if (b % CLUSTER == 0) before = 0;
        for (int i = b * BLOCK; i < (b + 1) * BLOCK; ++i) ok = ok && got[i] == before;
        for (int i = b * BLOCK; i < (b + 1) * BLOCK; ++i) before += h[i] & 1;
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(sum));
    CHECK(cudaFree(out));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
