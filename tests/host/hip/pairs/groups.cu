// Cooperative groups: a grid that waits for itself, a block, and tiles of a warp.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void rounds(int* x, int n, int steps) {
    cg::grid_group grid = cg::this_grid();
    const int i = grid.thread_rank();
    for (int step = 0; step < steps; ++step) {
        const int next = i < n ? x[(i + 1) % n] : 0;
        grid.sync();
        if (i < n) x[i] += next;
        grid.sync();
    }
}

__global__ void tiles(int* out) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    int sum = block.thread_rank();
    for (int step = tile.size() / 2; step > 0; step /= 2) sum += tile.shfl_down(sum, step);
    if (tile.thread_rank() == 0) out[block.thread_rank() / 16] = sum;
    block.sync();
}

int main() {
    int n = 100, steps = 3, host[100], *x, *out;
    for (int i = 0; i < n; ++i) host[i] = i;
    cudaMalloc(&x, sizeof host);
    cudaMalloc(&out, 4 * sizeof(int));
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    void* arguments[] = {&x, &n, &steps};
    cudaError_t status = cudaLaunchCooperativeKernel((void*)rounds, dim3(4), dim3(32), arguments, 0, 0);
    std::printf("%s\n", cudaGetErrorString(status));
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%d %d\n", host[0], host[99]);
    tiles<<<1, 64>>>(out);
    cudaMemcpy(host, out, 4 * sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
    cudaFree(x);
    cudaFree(out);
}
