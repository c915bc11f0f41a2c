// wrong: one block resets the counter with a plain store while others already count,
// the two lines that race: *counter = 0 and the atomicAdd of another block.
#include "checked_calls.h"

__global__ void count_even(const int *in, int n, int *counter) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) *counter = 0;  // race A
    __syncthreads();
    if (i < n && in[i] % 2 == 0) atomicAdd(counter, 1);  // race B
}

int main() {
    const int n = 3000, block = 128, rounds = 2;
    std::vector<int> h(n);
    int want = 0;
    for (int i = 0; i < n; ++i) {
        h[i] = i * 7 % 101;
        want += h[i] % 2 == 0;
    }
    int *in, *counter;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&counter, sizeof(int)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    bool ok = true;
    for (int r = 0; r < rounds; ++r) {
        count_even<<<(n + block - 1) / block, block>>>(in, n, counter);
        CHECK(cudaGetLastError());
        int got = -1;
        CHECK(cudaMemcpy(&got, counter, sizeof(int), cudaMemcpyDeviceToHost));
        ok = ok && got == want;
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(counter));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
