// right: the threads of each block hand data on by atomics and fences of libcu++ whose scope is the
// block; every other block has its own.
#include <cuda/atomic>

#include "checked_calls.h"

const int BLOCKS = 6;

using counter = cuda::atomic<int, cuda::thread_scope_block>;

__global__ void sums(const int *x, int *got) {
    __shared__ counter ready, taken;
    __shared__ int data[64];
    if (threadIdx.x == 0) {
        ready.store(0, cuda::memory_order_relaxed);
        taken.store(0, cuda::memory_order_relaxed);
    }
    __syncthreads();
    if (threadIdx.x < 64) {
        data[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
        ready.fetch_add(1, cuda::memory_order_acq_rel);
    } else if (threadIdx.x == 64) {
        while (ready.load(cuda::memory_order_acquire) < 64) {
        }
        int sum = 0;
        for (int i = 0; i < 64; ++i) sum += data[i];
        got[blockIdx.x * 2] = sum;
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_block);
        taken.store(1, cuda::memory_order_relaxed);
    } else if (threadIdx.x == 96) {
        while (taken.load(cuda::memory_order_relaxed) == 0) {
        }
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_block);
        int expected = 1;
        if (taken.compare_exchange_strong(expected, 2)) got[blockIdx.x * 2 + 1] = -got[blockIdx.x * 2];
    }
}

int main() {
    const int n = BLOCKS * 64;
    std::vector<int> h(n), got(2 * BLOCKS);
    for (int i = 0; i < n; ++i) h[i] = i * 13 % 97;
    int *x, *d_got;
    CHECK(cudaMalloc(&x, n * sizeof(int)));
    CHECK(cudaMalloc(&d_got, 2 * BLOCKS * sizeof(int)));
    CHECK(cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    sums<<<BLOCKS, 128>>>(x, d_got);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), d_got, 2 * BLOCKS * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int b = 0; b < BLOCKS; ++b) {
        int want = 0;
        for (int i = 0; i < 64; ++i) want += h[b * 64 + i];
        ok = ok && got[2 * b] == want && got[2 * b + 1] == -want;
    }
    CHECK(cudaFree(x));
    CHECK(cudaFree(d_got));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
