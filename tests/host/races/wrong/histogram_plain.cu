// wrong: the bins are counted with a plain ++, a read and a write of one counter by
// many threads, the two lines that race: counts[key[i]]++ with itself (A and B).
#include "checked_calls.h"

const int BINS = 64;

__global__ void histogram(const int *key, int n, int *counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) counts[key[i]]++;  // race A B
}

int main() {
    const int n = 4096, block = 64;
    std::vector<int> h(n), want(BINS, 0), got(BINS);
    for (int i = 0; i < n; ++i) {
        h[i] = i * 7 % BINS;
        want[h[i]]++;
    }
    int *key, *counts;
    CHECK(cudaMalloc(&key, n * sizeof(int)));
    CHECK(cudaMalloc(&counts, BINS * sizeof(int)));
    CHECK(cudaMemcpy(key, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(counts, 0, BINS * sizeof(int)));
    histogram<<<n / block, block>>>(key, n, counts);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), counts, BINS * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = got == want;
    CHECK(cudaFree(key));
    CHECK(cudaFree(counts));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
