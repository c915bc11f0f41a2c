// right: the warps of a block form a pipeline through global memory; block scope is
// enough, so __threadfence_block and volatile flags order one warp after another.
#include "checked_calls.h"

const int WARPS = 4, BLOCK = 32 * WARPS;

__global__ void pipeline(const int *in, int *stage, volatile int *flag, int *out) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int *mine = stage + blockIdx.x * BLOCK + warp * 32;
    volatile int *ready = flag + blockIdx.x * WARPS;
    int v = in[blockIdx.x * 32 + lane];
    if (warp > 0) {
        while (ready[warp - 1] == 0) {
        }
        __threadfence_block();
        v = mine[31 - lane - 32] + warp;
    }
    mine[lane] = v;
    __syncwarp();
    if (lane == 0) {
        __threadfence_block();
        ready[warp] = 1;
    }
    if (warp == WARPS - 1) out[blockIdx.x * 32 + lane] = v;
}

int main() {
    const int grid = 10, n = grid * 32;
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i * 17 % 43;
    int *in, *stage, *flag, *out;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&stage, grid * BLOCK * sizeof(int)));
    CHECK(cudaMalloc(&flag, grid * WARPS * sizeof(int)));
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(flag, 0, grid * WARPS * sizeof(int)));
    pipeline<<<grid, BLOCK>>>(in, stage, flag, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i)  // three turns round leave the lanes reversed
        ok = ok && got[i] == h[i / 32 * 32 + 31 - i % 32] + 1 + 2 + 3;
    CHECK(cudaFree(in));
    CHECK(cudaFree(stage));
    CHECK(cudaFree(flag));
    CHECK(cudaFree(out));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
