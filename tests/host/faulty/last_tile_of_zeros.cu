// finds: race line 20,26
// The last tile is not waited for, since no group is behind it, and all tiles are the same.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int LANES = 32, TILES = 4;

__global__ void reversed(const int4* in, int4* out) {
    __shared__ int4 tile[2][LANES];
    const int lane = threadIdx.x;
    __pipeline_memcpy_async(&tile[0][lane], &in[lane], 16);
    __pipeline_commit();
    for (int i = 0; i < TILES; ++i) {
        if (i + 1 < TILES) {
            int4* const next = &tile[(i + 1) & 1][lane];
            const int4* const from = &in[(i + 1) * LANES + lane];
            __pipeline_memcpy_async(next, from, 16);
            __pipeline_commit();  // wrong
        }
//=         __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        out[i * LANES + lane] = tile[i & 1][LANES - 1 - lane];
        __syncthreads();
    }
}

int main() {
    int4 *in, *out;
    std::vector<int4> got(TILES * LANES);
    const size_t bytes = got.size() * sizeof(int4);
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    cudaMemset(in, 0, bytes);
    reversed<<<1, LANES>>>(in, out);
    cudaMemcpy(got.data(), out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    for (const int4& v : got)
        if (v.x != 0) return std::puts("failed"), 1;
    return std::puts("passed"), 0;
}
