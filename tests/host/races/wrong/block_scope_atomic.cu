// wrong: blocks add to the same global bins with block-scope atomics, which are not
// atomic towards other blocks, the two lines that race: atomicAdd_block with itself (A and B).
#include "checked_calls.h"

const int BINS = 16;

__global__ void histogram(const int *key, int n, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd_block(&count[key[i]], 1);  // race A B
}

int main() {
    const int n = 3000, block = 128;
    std::vector<int> h(n), want(BINS, 0), got(BINS);
    for (int i = 0; i < n; ++i) {
        h[i] = i * 5 % BINS;
        want[h[i]]++;
    }
    int *key, *count;
    CHECK(cudaMalloc(&key, n * sizeof(int)));
    CHECK(cudaMalloc(&count, BINS * sizeof(int)));
    CHECK(cudaMemcpy(key, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(count, 0, BINS * sizeof(int)));
    histogram<<<(n + block - 1) / block, block>>>(key, n, count);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), count, BINS * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = got == want;
    CHECK(cudaFree(key));
    CHECK(cudaFree(count));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
