// right: a cuda::barrier of the block with arrive and wait apart; cells are stored
// before arrive and neighbours read after wait; only own cells are used in between.
#include "checked_calls.h"
#include <utility>
#include <cuda/barrier>

#pragma nv_diag_suppress static_var_with_dynamic_init

using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void smooth(int *a, int *b, int rounds) {
    __shared__ BlockBarrier bar;
    int tid = threadIdx.x, n = blockDim.x;
    a += blockIdx.x * n;
    b += blockIdx.x * n;
    if (tid == 0) init(&bar, n);
    __syncthreads();
    for (int r = 0; r < rounds; ++r) {
        b[tid] = a[tid] + r;
        auto token = bar.arrive();
        int own = 2 * a[tid];  // private work while others arrive
        bar.wait(std::move(token));
        a[tid] = own + b[(tid + 1) % n] - b[(tid + n - 1) % n];
        bar.arrive_and_wait();
    }
}

int main() {
    const int grid = 6, block = 96, n = grid * block, rounds = 4;
    std::vector<int> h(n), t(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i * 19 % 53;
    int *a, *b;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMalloc(&b, n * sizeof(int)));
    CHECK(cudaMemcpy(a, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    smooth<<<grid, block>>>(a, b, rounds);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int r = 0; r < rounds; ++r) {
        for (int i = 0; i < n; ++i) t[i] = h[i] + r;
        for (int i = 0; i < n; ++i) {
            int first = i / block * block, k = i - first;
            h[i] = 2 * h[i] + t[first + (k + 1) % block] - t[first + (k + block - 1) % block];
        }
    }
    bool ok = got == h;
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
