// wrong: each step of a prefix sum adds in place, so a cell may be read before or after
// its owner's store, the two lines that race: out[i] += out[i - s] with itself (A and B).
#include "checked_calls.h"

__global__ void scan_step(int *out, int n, int s) {
    int i = n - 1 - (int)(blockIdx.x * blockDim.x + threadIdx.x);  // the last cell first
    if (i >= s) out[i] += out[i - s];  // race A B
}

int main() {
    const int n = 1000, block = 64;
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i * 9 % 14;
    int *out;
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    CHECK(cudaMemcpy(out, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    for (int s = 1; s < n; s *= 2) {
        scan_step<<<(n + block - 1) / block, block>>>(out, n, s);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0, sum = 0; i < n; ++i) {
        sum += h[i];
        ok = ok && got[i] == sum;
    }
    CHECK(cudaFree(out));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
