// wrong: the producer block sets its flag before it stores the data the flag stands
// for, the two lines that race: the store and the read of data[].
#include "checked_calls.h"

const int BLOCK = 64;

__global__ void pass(const int *in, int *data, volatile int *flag, int *out) {
    int tid = threadIdx.x, pair = blockIdx.x / 2, i = pair * BLOCK + tid;
    if (blockIdx.x % 2 == 0) {
        if (tid == 0) {
            flag[pair] = 1;  // too early
            __threadfence();
        }
        __syncthreads();
        data[i] = in[i] * 2;  // race A
    } else {
        if (tid == 0) {
            while (flag[pair] == 0) {
            }
            __threadfence();
        }
        __syncthreads();
        out[i] = data[pair * BLOCK + BLOCK - 1 - tid];  // race B
    }
}

int main() {
    const int pairs = 4, n = pairs * BLOCK;
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i * 31 % 211;
    int *in, *data, *flag, *out;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&data, n * sizeof(int)));
    CHECK(cudaMalloc(&flag, pairs * sizeof(int)));
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(flag, 0, pairs * sizeof(int)));
    pass<<<2 * pairs, BLOCK>>>(in, data, flag, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i)
        ok = ok && got[i] == h[i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK] * 2;
    CHECK(cudaFree(in));
    CHECK(cudaFree(data));
    CHECK(cudaFree(flag));
    CHECK(cudaFree(out));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
