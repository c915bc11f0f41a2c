// wrong: a spin lock of relaxed atomics with no fence inside orders no plain data, the
// two lines that race: *sum += v of one holder and of the next (A and B).
#include "checked_calls.h"

__device__ int mutex = 0;

__global__ void add_up(const int *in, int n, long long *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? in[i] : 0;
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&mutex, 0, 1) != 0) {
        }
        // missing: __threadfence()
        *sum += v;  // race A B
        // missing: __threadfence()
        atomicExch(&mutex, 0);
    }
}

int main() {
    const int n = 2500, block = 128;
    std::vector<int> h(n);
    long long want = 0, got = 0;
    for (int i = 0; i < n; ++i) want += h[i] = i * 47 % 1013;
    int *in;
    long long *sum;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&sum, sizeof(long long)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(sum, 0, sizeof(long long)));
    add_up<<<(n + block - 1) / block, block>>>(in, n, sum);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, sum, sizeof(long long), cudaMemcpyDeviceToHost));
    bool ok = got == want;
    CHECK(cudaFree(in));
    CHECK(cudaFree(sum));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
