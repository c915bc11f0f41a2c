// The driver API beside the runtime API: device, context, memory, streams, events and errors; and
// the headers that programs merely include.
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <nvToolsExt.h>
#include <nvtx3/nvToolsExt.h>

#include "check.h"

__global__ void twice(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

int main() {
    int count = -1;
    MUST(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED);
    MUST(cuInit(1) == CUDA_ERROR_INVALID_VALUE);
    OK(cuInit(0));
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
    OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    MUST(major == about.major);
    OK(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    MUST(warp == 32);
    size_t bytes = 0;
    MUST(cuDeviceTotalMem(&bytes, device) == CUDA_SUCCESS && bytes == about.totalGlobalMem);

    CUcontext context = nullptr, now = nullptr;
    MUST(cuCtxPopCurrent(&now) == CUDA_ERROR_INVALID_CONTEXT);
    MUST(cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS && context != nullptr);
    OK(cuCtxSetCurrent(context));
    MUST(cuCtxGetCurrent(&now) == CUDA_SUCCESS && now == context);
    // A call of the runtime API makes the primary context current.
    OK(cuCtxSetCurrent(nullptr));
    MUST(cuCtxGetCurrent(&now) == CUDA_SUCCESS && now == nullptr);
    OK(cudaFree(nullptr));
    MUST(cuCtxGetCurrent(&now) == CUDA_SUCCESS && now == context);

    constexpr int n = 1000;
    CUdeviceptr x = 0, y = 0;
    MUST(cuMemAlloc(&x, 0) == CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAlloc(&x, n * sizeof(float)));
    OK(cuMemAlloc(&y, n * sizeof(float)));
    std::vector<float> in(n), out(n);
    for (int i = 0; i < n; ++i) in[i] = i;
    OK(cuMemcpyHtoD(x, in.data(), n * sizeof(float)));
    CUstream stream = nullptr;
    CUevent begin = nullptr, end = nullptr;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&begin, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&end, CU_EVENT_DEFAULT));
    OK(cuEventRecord(begin, stream));
    nvtxRangePushA("twice");
    cudaProfilerStart();
    twice<<<(n + 127) / 128, 128, 0, stream>>>(reinterpret_cast<float*>(x), n);
    cudaProfilerStop();
    nvtxRangePop();
    nvtxMarkA("end");
    OK(cuEventRecord(end, stream));
    OK(cuStreamSynchronize(stream));
    float milliseconds = -1;
    MUST(cuEventElapsedTime(&milliseconds, begin, end) == CUDA_SUCCESS && milliseconds >= 0);
    OK(cuMemcpyDtoDAsync(y, x, n * sizeof(float), stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(out.data(), y, n * sizeof(float)));
    for (int i = 0; i < n; ++i) MUST(out[i] == 2.0f * i);
    OK(cuMemsetD32(y, 0x40490fdb, n));
    OK(cuMemcpyDtoH(out.data(), y, n * sizeof(float)));
    for (int i = 0; i < n; ++i) MUST(out[i] == 3.14159274f);
    MUST(cuMemsetD32(y, 0, n + 1) == CUDA_ERROR_INVALID_VALUE);
    OK(cudaPeekAtLastError());  // the driver's errors are not the runtime's
    const char* words = nullptr;
    OK(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &words));
    MUST(std::strcmp(words, "CUDA_ERROR_INVALID_VALUE") == 0);
    OK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &words));
    MUST(std::strcmp(words, "out of memory") == 0);
    MUST(cuEventDestroy(begin) == CUDA_SUCCESS && cuEventDestroy(end) == CUDA_SUCCESS);
    OK(cuStreamDestroy(stream));
    MUST(cuMemFree(x) == CUDA_SUCCESS && cuMemFree(y) == CUDA_SUCCESS);
    MUST(cuMemFree(x) == CUDA_ERROR_INVALID_VALUE);
    OK(cuDevicePrimaryCtxRelease(device));
    return verdict();
}
