// wrong: each block's maximum is merged by a plain compare and store, so an update may
// be lost, the two lines that race: the read of *best and the store to it.
#include "checked_calls.h"

const int BLOCK = 64;

__global__ void find_max(const int *in, int n, int *best) {
    __shared__ int s[BLOCK];
    int tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    s[tid] = i < n ? in[i] : -1;
    __syncthreads();
    for (int h = BLOCK / 2; h > 0; h /= 2) {
        if (tid < h) s[tid] = max(s[tid], s[tid + h]);
        __syncthreads();
    }
    if (tid == 0) {
        if (s[0] > *best)  // race A
            *best = s[0];  // race B
    }
}

int main() {
    const int n = 3000;
    std::vector<int> h(n);
    int want = -1, got = -1;
    for (int i = 0; i < n; ++i) {
        h[i] = i * 613 % 2999;
        if (h[i] > want) want = h[i];
    }
    int *in, *best;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&best, sizeof(int)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(best, &got, sizeof(int), cudaMemcpyHostToDevice));
    find_max<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, n, best);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, best, sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = got == want;
    CHECK(cudaFree(in));
    CHECK(cudaFree(best));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
