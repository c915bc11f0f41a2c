// The driver API beside the runtime API: device, context, memory, streams, events and errors; and
// the headers that programs merely include.
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <nvToolsExt.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstring>
#include <vector>

static int failures = 0;

#define MUST(condition)                                         \
    do {                                                        \
        if (!(condition)) {                                     \
            ++failures;                                         \
            std::printf("line %d: %s\n", __LINE__, #condition); \
        }                                                       \
    } while (0)

__global__ void twice(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

int main() {
    int count = -1;
    MUST(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED);
    MUST(cuInit(1) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuInit(0) == CUDA_SUCCESS);
    MUST(cuDeviceGetCount(&count) == CUDA_SUCCESS && count == 1);
    CUdevice device = -1;
    MUST(cuDeviceGet(&device, 1) == CUDA_ERROR_INVALID_DEVICE);
    MUST(cuDeviceGet(&device, 0) == CUDA_SUCCESS && device == 0);
    char name[100] = "";
    MUST(cuDeviceGetName(name, sizeof name, device) == CUDA_SUCCESS && std::strlen(name) > 3);
    cudaDeviceProp about;
    cudaGetDeviceProperties(&about, 0);
    MUST(std::strcmp(name, about.name) == 0);
    int major = 0, warp = 0;
    MUST(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) ==
         CUDA_SUCCESS);
    MUST(major == about.major);
    MUST(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device) == CUDA_SUCCESS);
    MUST(warp == 32);
    size_t bytes = 0;
    MUST(cuDeviceTotalMem(&bytes, device) == CUDA_SUCCESS && bytes == about.totalGlobalMem);

    CUcontext context = nullptr, now = nullptr;
    MUST(cuCtxPopCurrent(&now) == CUDA_ERROR_INVALID_CONTEXT);
    MUST(cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS && context != nullptr);
    MUST(cuCtxSetCurrent(context) == CUDA_SUCCESS);
    MUST(cuCtxGetCurrent(&now) == CUDA_SUCCESS && now == context);
    // A call of the runtime API makes the primary context current.
    MUST(cuCtxSetCurrent(nullptr) == CUDA_SUCCESS);
    MUST(cuCtxGetCurrent(&now) == CUDA_SUCCESS && now == nullptr);
    MUST(cudaFree(nullptr) == cudaSuccess);
    MUST(cuCtxGetCurrent(&now) == CUDA_SUCCESS && now == context);

    constexpr int n = 1000;
    CUdeviceptr x = 0, y = 0;
    MUST(cuMemAlloc(&x, 0) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuMemAlloc(&x, n * sizeof(float)) == CUDA_SUCCESS);
    MUST(cuMemAlloc(&y, n * sizeof(float)) == CUDA_SUCCESS);
    std::vector<float> in(n), out(n);
    for (int i = 0; i < n; ++i) in[i] = i;
    MUST(cuMemcpyHtoD(x, in.data(), n * sizeof(float)) == CUDA_SUCCESS);
    CUstream stream = nullptr;
    CUevent begin = nullptr, end = nullptr;
    MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    MUST(cuEventCreate(&begin, CU_EVENT_DEFAULT) == CUDA_SUCCESS);
    MUST(cuEventCreate(&end, CU_EVENT_DEFAULT) == CUDA_SUCCESS);
    MUST(cuEventRecord(begin, stream) == CUDA_SUCCESS);
    nvtxRangePushA("twice");
    cudaProfilerStart();
    twice<<<(n + 127) / 128, 128, 0, stream>>>(reinterpret_cast<float*>(x), n);
    cudaProfilerStop();
    nvtxRangePop();
    nvtxMarkA("end");
    MUST(cuEventRecord(end, stream) == CUDA_SUCCESS);
    MUST(cuStreamSynchronize(stream) == CUDA_SUCCESS);
    float milliseconds = -1;
    MUST(cuEventElapsedTime(&milliseconds, begin, end) == CUDA_SUCCESS && milliseconds >= 0);
    MUST(cuMemcpyDtoDAsync(y, x, n * sizeof(float), stream) == CUDA_SUCCESS);
    MUST(cuStreamSynchronize(stream) == CUDA_SUCCESS);
    MUST(cuMemcpyDtoH(out.data(), y, n * sizeof(float)) == CUDA_SUCCESS);
    for (int i = 0; i < n; ++i) MUST(out[i] == 2.0f * i);
    MUST(cuMemsetD32(y, 0x40490fdb, n) == CUDA_SUCCESS);
    MUST(cuMemcpyDtoH(out.data(), y, n * sizeof(float)) == CUDA_SUCCESS);
    for (int i = 0; i < n; ++i) MUST(out[i] == 3.14159274f);
    MUST(cuMemsetD32(y, 0, n + 1) == CUDA_ERROR_INVALID_VALUE);
    MUST(cudaPeekAtLastError() == cudaSuccess);  // the driver's errors are not the runtime's
    const char* words = nullptr;
    MUST(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &words) == CUDA_SUCCESS);
    MUST(std::strcmp(words, "CUDA_ERROR_INVALID_VALUE") == 0);
    MUST(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &words) == CUDA_SUCCESS);
    MUST(std::strcmp(words, "out of memory") == 0);
    MUST(cuEventDestroy(begin) == CUDA_SUCCESS && cuEventDestroy(end) == CUDA_SUCCESS);
    MUST(cuStreamDestroy(stream) == CUDA_SUCCESS);
    MUST(cuMemFree(x) == CUDA_SUCCESS && cuMemFree(y) == CUDA_SUCCESS);
    MUST(cuMemFree(x) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuDevicePrimaryCtxRelease(device) == CUDA_SUCCESS);
    std::printf("%d failures\n", failures);
    return failures != 0;
}
