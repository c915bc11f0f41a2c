// finds: barrier_divergence line 16
// A cooperative sum of many blocks' parts: the blocks behind the data return before grid.sync.
#include <cooperative_groups.h>

#include <cstdio>
#include <vector>

__global__ void sum(const int* in, int* parts, int* out, int n) {
    const auto grid = cooperative_groups::this_grid();
    const int first = blockIdx.x * blockDim.x;
    if (first >= n) return;  // wrong
    const int i = first + threadIdx.x;
    if (threadIdx.x == 0) parts[blockIdx.x] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&parts[blockIdx.x], in[i]);
    grid.sync();
    if (i != 0) return;
    int all = 0;
    for (unsigned b = 0; b < gridDim.x && b * blockDim.x < n; ++b) all += parts[b];
    *out = all;
}

int main() {
    const int blocks = 900, threads = 32;
    int n = blocks * threads - 500;
    std::vector<int> in(n, 3);
    int *d_in, *d_parts, *d_out, result = 0;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_parts, blocks * sizeof(int));
    cudaMalloc(&d_out, sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    void* arguments[] = {&d_in, &d_parts, &d_out, &n};
    cudaLaunchCooperativeKernel((void*)sum, dim3(blocks), dim3(threads), arguments);
    cudaMemcpy(&result, d_out, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d\n", result);
    cudaFree(d_in);
    cudaFree(d_parts);
    cudaFree(d_out);
    return result == 3 * n ? 0 : 1;
}
