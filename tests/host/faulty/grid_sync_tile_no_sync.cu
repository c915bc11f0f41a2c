// finds: race line 15,17
// Blocks that turn their values around twice, with the grid between: no barrier before the second.
#include <cooperative_groups.h>

#include <cstdio>
#include <vector>

__global__ void turn(int* values, int shift) {
    __shared__ int tile[64];
    const auto grid = cooperative_groups::this_grid();
    const int n = gridDim.x * blockDim.x, t = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + t, from = (i + shift) % n;
    const int mine = values[from];
    grid.sync();
    tile[t] = mine;
//=     __syncthreads();
    values[i] = tile[63 - t];
    grid.sync();
}

int main() {
    const int blocks = 900, threads = 64, n = blocks * threads;
    int shift = 64;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; ++i) in[i] = i;
    int* values;
    cudaMalloc(&values, n * sizeof(int));
    cudaMemcpy(values, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    void* arguments[] = {&values, &shift};
    cudaLaunchCooperativeKernel((void*)turn, dim3(blocks), dim3(threads), arguments);
    cudaMemcpy(out.data(), values, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(values);
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += out[i] != (i / 64 * 64 + 63 - i % 64 + shift) % n;
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
