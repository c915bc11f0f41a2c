// Streams and events: copies in parts, waits between streams, and times.
#include <hip/hip_runtime.h>

#include <cstdio>

#define CHECK(call)                                                            \
    do {                                                                       \
        hipError_t status = (call);                                           \
        if (status != hipSuccess) {                                           \
            std::printf("line %d: %s\n", __LINE__, hipGetErrorString(status)); \
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
    CHECK(hipHostMalloc((void**)&host, parts * n * sizeof(int)));
    CHECK(hipMalloc(&device, parts * n * sizeof(int)));
    for (int i = 0; i < parts * n; ++i) host[i] = i;
    hipStream_t streams[parts];
    hipEvent_t start, stop, half;
    CHECK(hipEventCreate(&start));
    CHECK(hipEventCreate(&stop));
    CHECK(hipEventCreateWithFlags(&half, hipEventDisableTiming));
    for (auto& stream : streams) CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    CHECK(hipEventRecord(start, streams[0]));
    for (int p = 0; p < parts; ++p) {
        int* part = device + p * n;
        CHECK(hipMemcpyAsync(part, host + p * n, n * sizeof(int), hipMemcpyHostToDevice, streams[p]));
        hipLaunchKernelGGL(twice, dim3(n / 128), dim3(128), 0, streams[p], part, n);
        CHECK(hipMemcpyAsync(host + p * n, part, n * sizeof(int), hipMemcpyDeviceToHost, streams[p]));
    }
    CHECK(hipEventRecord(half, streams[1]));
    CHECK(hipStreamWaitEvent(streams[0], half, 0));
    CHECK(hipEventRecord(stop, streams[0]));
    CHECK(hipEventSynchronize(stop));
    float milliseconds = -1;
    CHECK(hipEventElapsedTime(&milliseconds, start, stop));
    for (auto& stream : streams) {
        CHECK(hipStreamSynchronize(stream));
        CHECK(hipStreamDestroy(stream));
    }
    std::printf("%d %d %s\n", host[1], host[parts * n - 1], milliseconds >= 0 ? "measured" : "no time");
    CHECK(hipEventDestroy(start));
    CHECK(hipEventDestroy(stop));
    CHECK(hipEventDestroy(half));
    CHECK(hipHostFree(host));
    CHECK(hipFree(device));
}
