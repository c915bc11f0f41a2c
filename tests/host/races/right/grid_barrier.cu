// right: a hand-written barrier over a small resident grid (__syncthreads, one
// thread's fence, atomicAdd, volatile spin and fence) parts the steps of a scan.
#include "checked_calls.h"

const int GRID = 8, BLOCK = 64, N = GRID * BLOCK;

__device__ unsigned int arrived = 0;

__device__ void grid_barrier(unsigned int goal) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived, 1u);
        while (*(volatile unsigned int *)&arrived < goal) {
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void scan(int *a, int *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int goal = 0;
    for (int d = 1; d < N; d *= 2) {
        b[i] = i >= d ? a[i] + a[i - d] : a[i];
        goal += gridDim.x;
        grid_barrier(goal);
        int *t = a;
        a = b;
        b = t;
    }
}

int main() {
    std::vector<int> h(N), got(N);
    for (int i = 0; i < N; ++i) h[i] = i * 3 % 7;
    int *a, *b;
    CHECK(cudaMalloc(&a, N * sizeof(int)));
    CHECK(cudaMalloc(&b, N * sizeof(int)));
    CHECK(cudaMemcpy(a, h.data(), N * sizeof(int), cudaMemcpyHostToDevice));
    scan<<<GRID, BLOCK>>>(a, b);
    CHECK(cudaGetLastError());
    int steps = 0;
    for (int d = 1; d < N; d *= 2) ++steps;
    CHECK(cudaMemcpy(got.data(), steps % 2 ? b : a, N * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0, sum = 0; i < N; ++i) {
        sum += h[i];
        ok = ok && got[i] == sum;
    }
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
