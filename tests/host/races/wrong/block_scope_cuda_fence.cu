// wrong: one block hands data on to another behind cuda::atomic_thread_fence() of the block's scope,
// which orders nothing between blocks, the two lines that race: the store and the read of data[].
#include <cuda/atomic>

#include "checked_calls.h"

const auto scope = cuda::thread_scope_block;  // should be: thread_scope_device

__global__ void hand_on(int *flag, int *data, int *got) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) {
        data[0] = 5;  // race A
        cuda::atomic_thread_fence(cuda::memory_order_release, scope);
        ready.store(1, cuda::memory_order_relaxed);
    } else {
        while (ready.load(cuda::memory_order_relaxed) == 0) {
        }
        cuda::atomic_thread_fence(cuda::memory_order_acquire, scope);
        got[0] = data[0];  // race B
    }
}

int main() {
    int *flag, *data, *got, h = 0;
    CHECK(cudaMalloc(&flag, sizeof(int)));
    CHECK(cudaMalloc(&data, sizeof(int)));
    CHECK(cudaMalloc(&got, sizeof(int)));
    CHECK(cudaMemset(flag, 0, sizeof(int)));
    CHECK(cudaMemset(data, 0, sizeof(int)));
    hand_on<<<2, 1>>>(flag, data, got);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&h, got, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(flag));
    CHECK(cudaFree(data));
    CHECK(cudaFree(got));
    printf(h == 5 ? "passed\n" : "failed\n");
    return h == 5 ? 0 : 1;
}
