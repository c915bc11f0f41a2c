// right: fills and copies on the device in the default stream, behind which the host waits by each
// of the ways that there are before a non-blocking stream begins; and a blocking one, for which
// nobody has to.
#include "checked_calls.h"

__global__ void count(int *sum) { atomicAdd(sum, 1); }

int main() {
    const int block = 64;
    int *sum, *zero, got = -1;
    bool ok = true;
    CHECK(cudaMalloc(&sum, sizeof(int)));
    CHECK(cudaMalloc(&zero, sizeof(int)));
    cudaStream_t apart, blocking;
    CHECK(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
    CHECK(cudaStreamCreate(&blocking));
    cudaEvent_t filled;
    CHECK(cudaEventCreate(&filled));
    CHECK(cudaMemset(zero, 0, sizeof(int)));
    for (int way = 0; way < 6; ++way) {
        if (way % 2 == 0)
            CHECK(cudaMemset(sum, 0, sizeof(int)));
        else
            CHECK(cudaMemcpy(sum, zero, sizeof(int), cudaMemcpyDeviceToDevice));
        cudaStream_t stream = apart;
        if (way == 0) CHECK(cudaDeviceSynchronize());
        if (way == 1) CHECK(cudaStreamSynchronize(0));
        if (way == 2) {
            CHECK(cudaEventRecord(filled));
            CHECK(cudaStreamWaitEvent(apart, filled, 0));
        }
        if (way == 3) CHECK(cudaMemcpy(&got, sum, sizeof(int), cudaMemcpyDeviceToHost));
        if (way >= 4) stream = blocking;
        count<<<2, block, 0, stream>>>(sum);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaMemcpy(&got, sum, sizeof(int), cudaMemcpyDeviceToHost));
        ok = ok && got == 2 * block;
    }
    CHECK(cudaEventDestroy(filled));
    CHECK(cudaStreamDestroy(apart));
    CHECK(cudaStreamDestroy(blocking));
    CHECK(cudaFree(sum));
    CHECK(cudaFree(zero));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
