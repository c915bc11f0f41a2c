// right: lanes exchange values through global scratch, with __syncwarp after the
// stores and again before the next stores; first by half warps with half masks.
#include "checked_calls.h"

__global__ void warp_sums(const int *in, int *scratch, int *half_sum, int *warp_sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32, base = i - lane;
    unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    int v = in[i];
    for (int m = 1; m < 16; m *= 2) {
        scratch[i] = v;
        __syncwarp(half);
        v += scratch[base + (lane ^ m)];
        __syncwarp(half);
    }
    half_sum[i] = v;
    scratch[i] = v;
    __syncwarp();
    warp_sum[i] = v + scratch[base + (lane ^ 16)];
}

int main() {
    const int n = 2048, block = 128;
    std::vector<int> h(n), half(n), warp(n);
    for (int i = 0; i < n; ++i) h[i] = i * 13 % 71;
    int *in, *scratch, *half_sum, *warp_sum;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&scratch, n * sizeof(int)));
    CHECK(cudaMalloc(&half_sum, n * sizeof(int)));
    CHECK(cudaMalloc(&warp_sum, n * sizeof(int)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    warp_sums<<<n / block, block>>>(in, scratch, half_sum, warp_sum);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(half.data(), half_sum, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(warp.data(), warp_sum, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i) {
        int a = 0, b = 0;
        for (int k = 0; k < 16; ++k) a += h[i / 16 * 16 + k];
        for (int k = 0; k < 32; ++k) b += h[i / 32 * 32 + k];
        ok = ok && half[i] == a && warp[i] == b;
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(scratch));
    CHECK(cudaFree(half_sum));
    CHECK(cudaFree(warp_sum));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
