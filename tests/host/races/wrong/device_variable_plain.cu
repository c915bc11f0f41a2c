// wrong: the threads of all blocks add to a variable of the device with a plain +=, the two lines
// that race: the += with itself (A and B).
#include "checked_calls.h"

__device__ int odd;

__global__ void count(const int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] % 2 == 1) odd += x[i] % 2;  // race A B
}

int main() {
    const int n = 1000, block = 64;
    std::vector<int> h(n);
    int want = 0, got = 0;
    for (int i = 0; i < n; ++i) {
        h[i] = i * 7 % 31;
        want += h[i] % 2;
    }
    int *x;
    CHECK(cudaMalloc(&x, n * sizeof(int)));
    CHECK(cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(odd, &got, sizeof(int)));
    count<<<(n + block - 1) / block, block>>>(x, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyFromSymbol(&got, odd, sizeof(int)));
    CHECK(cudaFree(x));
    printf(got == want ? "passed\n" : "failed\n");
    return got == want ? 0 : 1;
}
