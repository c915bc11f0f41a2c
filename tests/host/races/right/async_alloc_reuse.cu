// right: stream-ordered allocations; a freed block's address may come back, also in
// another stream, but the frees and allocations are ordered by streams and events.
#include "checked_calls.h"

__global__ void produce(int *tmp, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tmp[i] = i * k;
}

__global__ void add(const int *tmp, int *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] += tmp[n - 1 - i];
}

int main() {
    const int n = 1000, block = 128, grid = (n + block - 1) / block, rounds = 6;
    int *sum;
    cudaStream_t stream[2];
    cudaEvent_t done;
    CHECK(cudaMalloc(&sum, n * sizeof(int)));
    for (cudaStream_t &s : stream) CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    CHECK(cudaMemsetAsync(sum, 0, n * sizeof(int), stream[0]));
    for (int r = 0; r < rounds; ++r) {
        cudaStream_t s = stream[r % 2];
        if (r > 0) CHECK(cudaStreamWaitEvent(s, done, 0));
        int *tmp;
        CHECK(cudaMallocAsync(&tmp, n * sizeof(int), s));
        produce<<<grid, block, 0, s>>>(tmp, n, r);
        CHECK(cudaGetLastError());
        add<<<grid, block, 0, s>>>(tmp, sum, n);
        CHECK(cudaGetLastError());
        CHECK(cudaFreeAsync(tmp, s));
        CHECK(cudaEventRecord(done, s));
    }
    std::vector<int> got(n);
    CHECK(cudaEventSynchronize(done));
    CHECK(cudaMemcpy(got.data(), sum, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && got[i] == (n - 1 - i) * rounds * (rounds - 1) / 2;
    CHECK(cudaEventDestroy(done));
    for (cudaStream_t s : stream) CHECK(cudaStreamDestroy(s));
    CHECK(cudaFree(sum));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
