// right: as ring_flags.cu, with the counters in an object.
#include "checked_calls.h"

const int BLOCK = 64, SLOTS = 2, ROUNDS = 12;

struct ring_state {
    int slot[SLOTS][BLOCK];
    volatile int filled, drained;
};
__device__ ring_state ring;

__global__ void pipe(const int *in, int *out) {
    int tid = threadIdx.x;
    for (int k = 0; k < ROUNDS; ++k) {
        if (blockIdx.x == 0) {
            if (tid == 0) {
                while (k - ring.drained >= SLOTS) {
                }
                __threadfence();
            }
            __syncthreads();
            ring.slot[k % SLOTS][tid] = in[k * BLOCK + tid] * 2;
            __syncthreads();
            if (tid == 0) {
                __threadfence();
                ring.filled = k + 1;
            }
        } else {
            if (tid == 0) {
                while (ring.filled <= k) {
                }
                __threadfence();
            }
            __syncthreads();
            out[k * BLOCK + tid] = ring.slot[k % SLOTS][BLOCK - 1 - tid] + 1;
            __syncthreads();
            if (tid == 0) {
                __threadfence();
                ring.drained = k + 1;
            }
        }
    }
}

int main() {
    const int n = ROUNDS * BLOCK;
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i * 11 % 101;
    int *in, *out;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    pipe<<<2, BLOCK>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i) {
        int k = i / BLOCK, t = i % BLOCK;
        ok = ok && got[i] == h[k * BLOCK + BLOCK - 1 - t] * 2 + 1;
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
