// right: all threads of a block write one value, and read what they wrote; a flag that several set; a
// scalar that is written again as it is; and elements that hold what is written to them already,
// which nobody else has read since the barrier.
#include "checked_calls.h"

const int BLOCK = 96;

__global__ void scaled(const int *in, int *out, int limit) {
    __shared__ int scale, is_large, padding, ones[BLOCK], turns[2][BLOCK];
    for (int turn = 0; turn < 3; ++turn) {
        scale = 2;
        int sum = scale * in[threadIdx.x];
        if (threadIdx.x == 0) is_large = 0;
        ones[threadIdx.x] = 1;
        __syncthreads();
        if (in[threadIdx.x] > limit) is_large = 1;
        sum += ones[BLOCK - 1 - threadIdx.x];
        __syncthreads();
        out[threadIdx.x] = sum + is_large;
        __syncthreads();
    }
    // Two buffers need one barrier a round; what lies behind them is written again as it is.
    for (int turn = 0; turn < 4; ++turn) {
        turns[turn & 1][threadIdx.x] = turn;
        if (threadIdx.x == 0) padding = 0;
        __syncthreads();
        out[threadIdx.x] += turns[turn & 1][BLOCK - 1 - threadIdx.x] - turn + padding;
    }
}

int main() {
    int h[BLOCK], got[BLOCK], *in, *out;
    for (int i = 0; i < BLOCK; ++i) h[i] = i;
    CHECK(cudaMalloc(&in, sizeof h));
    CHECK(cudaMalloc(&out, sizeof h));
    CHECK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    scaled<<<1, BLOCK>>>(in, out, BLOCK / 2);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < BLOCK; ++i) ok = ok && got[i] == 2 * i + 2;
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
