// wrong: tiles publish their edge cells and read their neighbours' in one kernel with
// no order between blocks, the two lines that race: the store and the read of edge[].
#include "checked_calls.h"

const int TILE = 96;

__global__ void advect(const int *u, int *edge, int *next) {
    __shared__ int s[TILE];
    int tid = threadIdx.x, i = blockIdx.x * TILE + tid;
    s[tid] = u[i];
    if (tid == TILE - 1) edge[blockIdx.x] = u[i];  // race A
    __syncthreads();
    int left;
    if (tid > 0)
        left = s[tid - 1];
    else
        left = blockIdx.x > 0 ? edge[blockIdx.x - 1] : 0;  // race B
    next[i] = (s[tid] + 3 * left) / 4;
}

int main() {
    const int tiles = 16, n = tiles * TILE;
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i * 41 % 503;
    int *u, *edge, *next;
    CHECK(cudaMalloc(&u, n * sizeof(int)));
    CHECK(cudaMalloc(&edge, tiles * sizeof(int)));
    CHECK(cudaMalloc(&next, n * sizeof(int)));
    CHECK(cudaMemcpy(u, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(edge, 0, tiles * sizeof(int)));
    advect<<<tiles, TILE>>>(u, edge, next);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), next, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && got[i] == (h[i] + 3 * (i ? h[i - 1] : 0)) / 4;
    CHECK(cudaFree(u));
    CHECK(cudaFree(edge));
    CHECK(cudaFree(next));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
