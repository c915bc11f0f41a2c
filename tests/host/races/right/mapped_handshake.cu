// right: the host polls a mapped flag while the kernel may still run; the flag is
// released at system scope and acquired by the host, so the mapped data is ordered.
#include "checked_calls.h"
#include <cuda/atomic>

const int N = 128;

using Flag = cuda::atomic_ref<int, cuda::thread_scope_system>;

__global__ void answer(int *data, int *flag, int *after) {
    data[threadIdx.x] = threadIdx.x * 5 + 2;
    __syncthreads();
    if (threadIdx.x == 0) Flag(*flag).store(1, cuda::memory_order_release);
    after[threadIdx.x] = data[N - 1 - threadIdx.x];  // the host reads this later
}

int main() {
    int *data, *flag, *ddata, *dflag, *after;
    CHECK(cudaHostAlloc(&data, N * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&ddata, data, 0));
    CHECK(cudaHostGetDevicePointer(&dflag, flag, 0));
    CHECK(cudaMalloc(&after, N * sizeof(int)));
    for (int i = 0; i < N; ++i) data[i] = 0;
    *flag = 0;
    answer<<<1, N>>>(ddata, dflag, after);
    CHECK(cudaGetLastError());
    while (Flag(*flag).load(cuda::memory_order_acquire) == 0) {
    }
    bool ok = true;
    for (int i = 0; i < N; ++i) ok = ok && data[i] == i * 5 + 2;
    int got[N];
    CHECK(cudaMemcpy(got, after, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) ok = ok && got[i] == (N - 1 - i) * 5 + 2;
    CHECK(cudaFree(after));
    CHECK(cudaFreeHost(data));
    CHECK(cudaFreeHost(flag));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
