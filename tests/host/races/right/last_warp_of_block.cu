// right: each warp stores its part, fences and counts; the last one adds them up. One lane has asked
// the count, and the others know of the stores by __syncwarp() behind it.
#include "checked_calls.h"

const int WARPS = 8;

__global__ void total(int *out) {
    __shared__ int part[WARPS];
    __shared__ unsigned count, number[WARPS];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (lane == 0) {
        part[warp] = warp + 1;
        __threadfence_block();
        number[warp] = atomicAdd(&count, 1u);
        __threadfence_block();
    }
    __syncwarp();
    if (number[warp] == WARPS - 1) {
        const int sum = __reduce_add_sync(~0u, lane < WARPS ? part[lane] : 0);
        if (lane == 0) *out = sum;
    }
}

int main() {
    int *out, got = 0;
    CHECK(cudaMalloc(&out, sizeof got));
    total<<<1, WARPS * 32>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    const bool ok = got == WARPS * (WARPS + 1) / 2;
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
