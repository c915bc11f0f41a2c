// Streams and events: copies in parts, waits between streams, and times.
#include <cuda_runtime.h>

#include <cstdio>

#define CHECK(call)                                                            \
    do {                                                                       \
        cudaError_t status = (call);                                           \
        if (status != cudaSuccess) {                                           \
            std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(status)); \
            return 1;                                                          \
        }                                                                      \
    } while (0)

__global__ void twice(int* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

int main() {
    const int parts = 4, n = 1024;
    int *host, *device;
    CHECK(cudaMallocHost((void**)&host, parts * n * sizeof(int)));
    CHECK(cudaMalloc(&device, parts * n * sizeof(int)));
    for (int i = 0; i < parts * n; ++i) host[i] = i;
    cudaStream_t streams[parts];
    cudaEvent_t start, stop, half;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventCreateWithFlags(&half, cudaEventDisableTiming));
    for (auto& stream : streams) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventRecord(start, streams[0]));
    for (int p = 0; p < parts; ++p) {
        int* part = device + p * n;
        CHECK(cudaMemcpyAsync(part, host + p * n, n * sizeof(int), cudaMemcpyHostToDevice, streams[p]));
        twice<<<n / 128, 128, 0, streams[p]>>>(part, n);
        CHECK(cudaMemcpyAsync(host + p * n, part, n * sizeof(int), cudaMemcpyDeviceToHost, streams[p]));
    }
    CHECK(cudaEventRecord(half, streams[1]));
    CHECK(cudaStreamWaitEvent(streams[0], half, 0));
    CHECK(cudaEventRecord(stop, streams[0]));
    CHECK(cudaEventSynchronize(stop));
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    for (auto& stream : streams) {
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaStreamDestroy(stream));
    }
    std::printf("%d %d %s\n", host[1], host[parts * n - 1], milliseconds >= 0 ? "measured" : "no time");
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaEventDestroy(half));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
}
