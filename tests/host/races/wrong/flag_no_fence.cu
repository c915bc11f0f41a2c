// wrong: no fence stands between a block's data and the volatile flag that tells of
// it, the two lines that race: the store and the read of data[].
#include "checked_calls.h"

const int BLOCK = 64;

__device__ volatile int ready = 0;

__global__ void broadcast(const int *in, int *data, int *out) {
    int tid = threadIdx.x;
    if (blockIdx.x == 0) {
        data[tid] = in[tid] + 7;  // race A
        __syncthreads();
        // missing: __threadfence()
        if (tid == 0) ready = 1;
    } else {
        if (tid == 0) {
            while (ready == 0) {
            }
            __threadfence();
        }
        __syncthreads();
        out[(blockIdx.x - 1) * BLOCK + tid] = data[BLOCK - 1 - tid] * blockIdx.x;  // race B
    }
}

int main() {
    const int readers = 6, n = readers * BLOCK;
    std::vector<int> h(BLOCK), got(n);
    for (int i = 0; i < BLOCK; ++i) h[i] = i * 3;
    int *in, *data, *out;
    CHECK(cudaMalloc(&in, BLOCK * sizeof(int)));
    CHECK(cudaMalloc(&data, BLOCK * sizeof(int)));
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    CHECK(cudaMemcpy(in, h.data(), BLOCK * sizeof(int), cudaMemcpyHostToDevice));
    broadcast<<<1 + readers, BLOCK>>>(in, data, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i)
        ok = ok && got[i] == (h[BLOCK - 1 - i % BLOCK] + 7) * (i / BLOCK + 1);
    CHECK(cudaFree(in));
    CHECK(cudaFree(data));
    CHECK(cudaFree(out));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
