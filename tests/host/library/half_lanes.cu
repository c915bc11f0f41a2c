// Pairs of half and brain floats that lanes exchange: shuffles, and reductions of groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void exchange(float* out) {
    const auto lane = static_cast<float>(threadIdx.x);
    __half2 pair = __floats2half2_rn(lane, 2 * lane);
    const __half2 below = __shfl_down_sync(0xffffffffu, pair, 2);
    const __nv_bfloat162 other =
        __shfl_xor_sync(0xffffffffu, __floats2bfloat162_rn(lane, -lane), 1);
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const __half fourth = tile.shfl(__low2half(pair), 4);
    for (int step = 16; step > 0; step /= 2)
        pair = __hadd2(pair, __shfl_xor_sync(0xffffffffu, pair, step));
    const __half sum = cg::reduce(tile, __float2half(1.0f), cg::plus<__half>());
    if (threadIdx.x != 6) return;
    out[0] = __low2float(below);
    out[1] = __high2float(below);
    out[2] = __high2float(other);
    out[3] = __half2float(fourth);
    out[4] = __low2float(pair);
    out[5] = __high2float(pair);
    out[6] = __half2float(sum);
}

int main() {
    float* out = managed<float>(7);
    exchange<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    const float want[] = {8, 16, -7, 4, 496, 992, 32};
    for (int i = 0; i < 7; ++i) {
        if (fails(out[i] == want[i])) std::printf("%d: %g, not %g\n", i, out[i], want[i]);
    }
    return verdict();
}
