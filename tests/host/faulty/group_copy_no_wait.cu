// finds: race line 18
// The block meets, but nobody waits for what the group copies.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>

namespace cg = cooperative_groups;
constexpr int width = 64;

__global__ void smooth(const float* in, float* out) {
    __shared__ float tile[width];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in + blockIdx.x * width, sizeof(float) * width);
//=     cg::wait(block);
    block.sync();
    const int t = threadIdx.x;
    const float left = t > 0 ? 0.5f : 0, right = t < width - 1 ? 0.5f : 0;
    out[blockIdx.x * width + t] = left * tile[t > 0 ? t - 1 : t] + right * tile[t < width - 1 ? t + 1 : t];
}

int main() {
    const int n = 8 * width;
    float *in, *out;
    if (cudaMallocManaged(&in, n * sizeof(float)) != cudaSuccess) return 1;
    if (cudaMallocManaged(&out, n * sizeof(float)) != cudaSuccess) return 1;
    for (int i = 0; i < n; ++i) in[i] = static_cast<float>(i % 11);
    smooth<<<8, width>>>(in, out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int i = 0; i < n; ++i) {
        const int t = i % width;
        const float wanted = (t > 0 ? 0.5f * in[i - 1] : 0) + (t < width - 1 ? 0.5f * in[i + 1] : 0);
        if (out[i] != wanted) return 1;
    }
    std::puts("ok");
    return cudaFree(in) != cudaSuccess || cudaFree(out) != cudaSuccess;
}
