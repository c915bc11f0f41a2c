// right: two non-blocking streams pass one buffer to and fro; every hand-over, for
// reading and for overwriting, is ordered by an event recorded and waited for.
#include "checked_calls.h"

__global__ void fill(int *buf, int n, int round) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) buf[i] = i + round;
}

__global__ void gather(const int *buf, int *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] += buf[n - 1 - i];
}

int main() {
    const int n = 2000, block = 128, grid = (n + block - 1) / block, rounds = 5;
    int *buf, *sum;
    CHECK(cudaMalloc(&buf, n * sizeof(int)));
    CHECK(cudaMalloc(&sum, n * sizeof(int)));
    cudaStream_t make, use;
    cudaEvent_t made, used;
    CHECK(cudaStreamCreateWithFlags(&make, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&use, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&used, cudaEventDisableTiming));
    CHECK(cudaMemsetAsync(sum, 0, n * sizeof(int), use));
    for (int r = 0; r < rounds; ++r) {
        if (r > 0) CHECK(cudaStreamWaitEvent(make, used, 0));
        fill<<<grid, block, 0, make>>>(buf, n, r);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(made, make));
        CHECK(cudaStreamWaitEvent(use, made, 0));
        gather<<<grid, block, 0, use>>>(buf, sum, n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(used, use));
    }
    std::vector<int> got(n);
    CHECK(cudaMemcpyAsync(got.data(), sum, n * sizeof(int), cudaMemcpyDeviceToHost, use));
    CHECK(cudaStreamSynchronize(use));
    bool ok = true;
    for (int i = 0; i < n; ++i)
        ok = ok && got[i] == rounds * (n - 1 - i) + rounds * (rounds - 1) / 2;
    CHECK(cudaEventDestroy(made));
    CHECK(cudaEventDestroy(used));
    CHECK(cudaStreamDestroy(make));
    CHECK(cudaStreamDestroy(use));
    CHECK(cudaFree(buf));
    CHECK(cudaFree(sum));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
