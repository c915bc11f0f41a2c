// right: a producer and a consumer block share a ring of two slots; volatile
// counters with __threadfence order both the filling and the reuse of a slot.
#include "checked_calls.h"

const int BLOCK = 64, SLOTS = 2, ROUNDS = 12;

__device__ int ring[SLOTS][BLOCK];
__device__ volatile int filled = 0, drained = 0;

__global__ void pipe(const int *in, int *out) {
    int tid = threadIdx.x;
    for (int k = 0; k < ROUNDS; ++k) {
        if (blockIdx.x == 0) {
            if (tid == 0) {
                while (k - drained >= SLOTS) {
                }
                __threadfence();
            }
            __syncthreads();
            ring[k % SLOTS][tid] = in[k * BLOCK + tid] * 2;
            __syncthreads();
            if (tid == 0) {
                __threadfence();
                filled = k + 1;
            }
        } else {
            if (tid == 0) {
                while (filled <= k) {
                }
                __threadfence();
            }
            __syncthreads();
            out[k * BLOCK + tid] = ring[k % SLOTS][BLOCK - 1 - tid] + 1;
            __syncthreads();
            if (tid == 0) {
                __threadfence();
                drained = k + 1;
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
