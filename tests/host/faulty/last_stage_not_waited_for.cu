// finds: race line 27
// Two stages: while one is used, the next one is copied. The wait leaves one group on its way, and for the last
// tile that is the tile itself.
#include <cuda_pipeline.h>

#include <cstdio>

constexpr int width = 32;

__global__ void weighted(const float* in, float* out, int tiles) {
    __shared__ float stage[2][width];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&stage[0][t], in + t, sizeof(float));
    __pipeline_commit();
    float sum = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        if (tile + 1 < tiles) {
            __pipeline_memcpy_async(&stage[(tile + 1) % 2][t], in + (tile + 1) * width + t, sizeof(float));
            __pipeline_commit();
//=             __pipeline_wait_prior(1);
//=         } else {
//=             __pipeline_wait_prior(0);
        }
        __pipeline_wait_prior(1);  // wrong
        __syncthreads();
        for (int k = 0; k < width; ++k)
            sum += stage[tile % 2][k] * static_cast<float>(k == t ? 2 : 1);
        __syncthreads();
    }
    out[t] = sum;
}

int main() {
    const int tiles = 5, n = tiles * width;
    float *in, *out;
    if (cudaMallocManaged(&in, n * sizeof(float)) != cudaSuccess) return 1;
    if (cudaMallocManaged(&out, width * sizeof(float)) != cudaSuccess) return 1;
    for (int i = 0; i < n; ++i) in[i] = static_cast<float>(i % 13);
    weighted<<<1, width>>>(in, out, tiles);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int t = 0; t < width; ++t) {
        float wanted = 0;
        for (int i = 0; i < n; ++i) wanted += in[i] * static_cast<float>(i % width == t ? 2 : 1);
        if (out[t] != wanted) return 1;
    }
    std::puts("ok");
    return cudaFree(in) != cudaSuccess || cudaFree(out) != cudaSuccess;
}
