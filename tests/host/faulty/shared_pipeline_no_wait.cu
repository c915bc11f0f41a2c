// finds: race line 27
// The stages that a block shares are filled and released, but nobody waits for one.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
constexpr int width = 64, stages = 2;

__global__ void sums(const int* in, int* out, int tiles) {
    __shared__ alignas(16) int tile[stages][width];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const int t = threadIdx.x;
    int sum = 0;
    for (int next = 0, i = 0; i < tiles; ++i) {
        for (; next < tiles && next < i + stages; ++next) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[next % stages], in + next * width, sizeof tile[0], pipe);
            pipe.producer_commit();
        }
        block.sync();  // wrong
//=         pipe.consumer_wait();
        sum +=
            (i + 1) *
            tile[i % stages][width - 1 - t];
        block.sync();
        pipe.consumer_release();
    }
    out[t] = sum;
}

int main() {
    const int tiles = 5, n = tiles * width;
    int *in, *out;
    if (cudaMallocManaged(&in, n * sizeof(int)) != cudaSuccess) return 1;
    if (cudaMallocManaged(&out, width * sizeof(int)) != cudaSuccess) return 1;
    for (int i = 0; i < n; ++i) in[i] = i % 37 + 1;
    sums<<<1, width>>>(in, out, tiles);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int t = 0; t < width; ++t) {
        int wanted = 0;
        for (int i = 0; i < tiles; ++i) wanted += (i + 1) * in[i * width + width - 1 - t];
        if (out[t] != wanted) return 1;
    }
    std::puts("ok");
    return cudaFree(in) != cudaSuccess || cudaFree(out) != cudaSuccess;
}
