// wrong: the flag is atomic but stored and loaded relaxed, which orders no other data,
// the two lines that race: the store and the read of the plain payload.
#include "checked_calls.h"
#include <cuda/atomic>

const int BLOCK = 32;

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void send(const int *in, int *payload, int *flag, int *out) {
    int pair = blockIdx.x / 2, i = pair * BLOCK + threadIdx.x;
    if (blockIdx.x % 2 == 0) {
        payload[i] = in[i] + 9;  // race A
        __syncthreads();
        if (threadIdx.x == 0) Flag(flag[pair]).store(1, cuda::memory_order_relaxed);
    } else {
        while (Flag(flag[pair]).load(cuda::memory_order_relaxed) == 0) {
        }
        out[i] = payload[pair * BLOCK + (threadIdx.x + 5) % BLOCK];  // race B
    }
}

int main() {
    const int pairs = 8, n = pairs * BLOCK;
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i * 21 % 83;
    int *in, *payload, *flag, *out;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&payload, n * sizeof(int)));
    CHECK(cudaMalloc(&flag, pairs * sizeof(int)));
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(flag, 0, pairs * sizeof(int)));
    send<<<2 * pairs, BLOCK>>>(in, payload, flag, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i)
        ok = ok && got[i] == h[i / BLOCK * BLOCK + (i + 5) % BLOCK] + 9;
    CHECK(cudaFree(in));
    CHECK(cudaFree(payload));
    CHECK(cudaFree(flag));
    CHECK(cudaFree(out));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
