// finds: out_of_bounds line 18
// Below the last row of a two-dimensional shared tile.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#define TILE 16

// out = in + the cell below, within each tile of 16 x 16
__global__ void addBelow(const int* in, int* out, int width) {
    __shared__ int tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    int sum = tile[threadIdx.y][threadIdx.x];
    sum += tile[threadIdx.y + 1][threadIdx.x];  // wrong
//=     if (threadIdx.y + 1 < TILE) sum += tile[threadIdx.y + 1][threadIdx.x];
    out[y * width + x] = sum;
}

int main() {
    const int width = 64;
    std::vector<int> in(width * width), out(width * width);
    for (int i = 0; i < width * width; i++) in[i] = i % 23;
    int *d_in, *d_out;
    cudaMalloc(&d_in, in.size() * sizeof(int));
    cudaMalloc(&d_out, in.size() * sizeof(int));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
    addBelow<<<dim3(width / TILE, width / TILE), dim3(TILE, TILE)>>>(d_in, d_out, width);
    cudaMemcpy(out.data(), d_out, in.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int y = 0; y < width; y++)
        for (int x = 0; x < width; x++) {
            int want = in[y * width + x];
            if (y % TILE < TILE - 1) want += in[(y + 1) * width + x];
            if (out[y * width + x] != want) return 1;
        }
    return 0;
}
