// wrong: blocks keep the largest element in a managed variable by a plain comparison and store, the
// two lines that race: the store with itself or with the comparison (A and B).
#include <algorithm>

#include "checked_calls.h"

__managed__ int largest[4];

__global__ void find(const int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int *best = &largest[i % 4];
    if (x[i] > *best)  // race A
        *best = x[i];  // race A B
}

int main() {
    const int n = 1000, block = 64;
    std::vector<int> h(n), want(4, 0);
    for (int i = 0; i < n; ++i) {
        h[i] = i * 37 % 499;
        want[i % 4] = std::max(want[i % 4], h[i]);
    }
    int *x;
    CHECK(cudaMalloc(&x, n * sizeof(int)));
    CHECK(cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    find<<<(n + block - 1) / block, block>>>(x, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    bool ok = std::equal(want.begin(), want.end(), largest);
    CHECK(cudaFree(x));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
