// wrong: one block hands data on to another by a cuda::atomic of the block's scope, which orders
// nothing between blocks, the two lines that race: those of data[], and those of the flag itself.
#include <cuda/atomic>

#include "checked_calls.h"

using flag = cuda::atomic<int, cuda::thread_scope_block>;  // should be: thread_scope_device

__global__ void hand_on(flag *ready, int *data, int *got) {
    if (blockIdx.x == 0) {
        data[0] = 5;  // race A
        ready->store(1, cuda::memory_order_release);  // race A
    } else {
        while (ready->load(cuda::memory_order_acquire) == 0) {  // race B
        }
        got[0] = data[0];  // race B
    }
}

int main() {
    flag *ready;
    int *data, *got, h = 0;
    CHECK(cudaMalloc(&ready, sizeof(flag)));
    CHECK(cudaMalloc(&data, sizeof(int)));
    CHECK(cudaMalloc(&got, sizeof(int)));
    CHECK(cudaMemset(ready, 0, sizeof(flag)));
    CHECK(cudaMemset(data, 0, sizeof(int)));
    hand_on<<<2, 1>>>(ready, data, got);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&h, got, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(ready));
    CHECK(cudaFree(data));
    CHECK(cudaFree(got));
    printf(h == 5 ? "passed\n" : "failed\n");
    return h == 5 ? 0 : 1;
}
