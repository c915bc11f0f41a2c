// finds: race line 15,17
// The next tile is written while others still read this one, and all tiles are the same.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int BLOCK = 96, TILES = 3;

__global__ void sums(const float* in, float* out) {
    __shared__ float tile[BLOCK];
    const int i = threadIdx.x;
    float sum = 0;
    for (int t = 0; t < TILES; ++t) {
        tile[i] = in[t * BLOCK + i];
        __syncthreads();
        for (int k = 0; k < BLOCK; ++k) sum += tile[k];
//=         __syncthreads();
    }
    out[i] = sum;
}

int main() {
    std::vector<float> ones(BLOCK * TILES, 1), got(BLOCK);
    float *in, *out;
    cudaMalloc(&in, ones.size() * sizeof(float));
    cudaMalloc(&out, got.size() * sizeof(float));
    cudaMemcpy(in, ones.data(), ones.size() * sizeof(float), cudaMemcpyHostToDevice);
    sums<<<1, BLOCK>>>(in, out);
    cudaMemcpy(got.data(), out, got.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    for (const float v : got)
        if (v != BLOCK * TILES) return std::puts("failed"), 1;
    return std::puts("passed"), 0;
}
