// right: a ticket lock of two cuda::atomic counters; the store of the next ticket
// releases, the waiting load acquires, so the plain data inside is ordered.
#include "checked_calls.h"
#include <cuda/atomic>

struct TicketLock {
    cuda::atomic<unsigned, cuda::thread_scope_device> next{0};
    cuda::atomic<unsigned, cuda::thread_scope_device> serving{0};

    __device__ unsigned lock() {
        unsigned mine = next.fetch_add(1, cuda::memory_order_relaxed);
        while (serving.load(cuda::memory_order_acquire) != mine) {
        }
        return mine;
    }
    __device__ void unlock(unsigned mine) {
        serving.store(mine + 1, cuda::memory_order_release);
    }
};

__device__ TicketLock guard;

__global__ void append(int *log, int *length, int *owner, int times) {
    if (threadIdx.x != 0) return;
    for (int k = 0; k < times; ++k) {
        unsigned mine = guard.lock();
        int at = *length;
        log[at] = at > 0 ? log[at - 1] + 2 : 5;
        *owner = blockIdx.x;
        *length = at + 1;
        guard.unlock(mine);
    }
}

int main() {
    const int grid = 12, times = 10, n = grid * times;
    int *log, *length, *owner;
    CHECK(cudaMalloc(&log, n * sizeof(int)));
    CHECK(cudaMalloc(&length, sizeof(int)));
    CHECK(cudaMalloc(&owner, sizeof(int)));
    CHECK(cudaMemset(length, 0, sizeof(int)));
    append<<<grid, 32>>>(log, length, owner, times);
    CHECK(cudaGetLastError());
    std::vector<int> got(n);
    int count = 0, last = -1;
    CHECK(cudaMemcpy(got.data(), log, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&count, length, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&last, owner, sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = count == n && last >= 0 && last < grid;
    for (int i = 0; i < n; ++i) ok = ok && got[i] == 5 + 2 * i;
    CHECK(cudaFree(log));
    CHECK(cudaFree(length));
    CHECK(cudaFree(owner));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
