// right: a block waits for another by volatile members of an object, in a loop whose condition
// computes with them.
#include "checked_calls.h"

const int ROUNDS = 12;

struct ring_state {
    int slot;
    volatile int filled, drained;
};
__device__ ring_state ring;

__global__ void pass_on(int *out) {
    for (int k = 0; k < ROUNDS; ++k)
        if (blockIdx.x == 0) {
            while (k - ring.drained >= 1) {
            }
            __threadfence();
            ring.slot = k * k;
            __threadfence();
            ring.filled = k + 1;
        } else {
            while (ring.filled <= k) {
            }
            __threadfence();
            out[k] = ring.slot;
            __threadfence();
            ring.drained = k + 1;
        }
}

int main() {
    int *out, got[ROUNDS];
    CHECK(cudaMalloc(&out, sizeof got));
    pass_on<<<2, 1>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    for (int k = 0; k < ROUNDS; ++k)
        if (got[k] != k * k) return puts("failed"), 1;
    return puts("passed"), 0;
}
