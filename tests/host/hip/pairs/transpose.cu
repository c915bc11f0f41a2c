// A transposition through shared memory, over a grid of two dimensions.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#define TILE 16

__global__ void transpose(const float* in, float* out, int width, int height) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
    const int width = 70, height = 45;
    std::vector<float> in(width * height), out(width * height);
    for (size_t i = 0; i < in.size(); ++i) in[i] = i;
    const size_t bytes = in.size() * sizeof(float);
    float *a, *b;
    cudaMalloc((void**)&a, bytes);
    cudaMalloc((void**)&b, bytes);
    cudaMemcpy(a, in.data(), bytes, cudaMemcpyHostToDevice);
    dim3 block(TILE, TILE), grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    transpose<<<grid, block>>>(a, b, width, height);
    cudaMemcpy(out.data(), b, bytes, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) wrong += out[x * height + y] != in[y * width + x];
    std::printf("%d wrong, %g %g\n", wrong, out[1], out[height]);
    cudaFree(a);
    cudaFree(b);
    return wrong;
}
