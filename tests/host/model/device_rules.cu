// What CUDA documents of devices, primary contexts, streams and memory.
#include <cuda.h>

#include "check.h"

int main() {
    // 1. the primary context
    unsigned flags = 7;
    int active = 7;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    MUST(active == 0);
    MUST(cuDevicePrimaryCtxRelease(0) == CUDA_ERROR_INVALID_CONTEXT);
    MUST(cuDevicePrimaryCtxReset(99) == CUDA_ERROR_INVALID_DEVICE);
    MUST(cuDevicePrimaryCtxRelease(99) == CUDA_ERROR_INVALID_DEVICE);
    CUcontext c;
    OK(cuDevicePrimaryCtxRetain(&c, 0));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    MUST(active == 1);
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    MUST(active == 0);
    OK(cudaFree(nullptr));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    MUST(active == 1);
    // 2. flags of the device, cache preference, peers
    OK(cudaInitDevice(0, cudaDeviceScheduleBlockingSync, cudaInitDeviceFlagsAreValid));
    OK(cudaGetDeviceFlags(&flags));
    MUST((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleBlockingSync);
    OK(cudaSetDeviceFlags(cudaDeviceScheduleYield));
    OK(cudaGetDeviceFlags(&flags));
    MUST((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleYield);
    OK(cudaInitDevice(0, cudaDeviceScheduleSpin, 0));
    OK(cudaGetDeviceFlags(&flags));
    MUST((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleYield);
    REFUSED(cudaSetDeviceFlags(0x4000), cudaErrorInvalidValue);
    OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    cudaFuncCache cache;
    OK(cudaDeviceGetCacheConfig(&cache));
    MUST(cache == cudaFuncCachePreferL1);
    int two[] = {0, 0};
    REFUSED(cudaSetValidDevices(two, 2), cudaErrorInvalidValue);
    // 3. attributes of streams
    cudaStream_t s;
    cudaStreamAttrValue v{};
    OK(cudaStreamCreateWithPriority(&s, 0, -2));
    v.priority = 9;
    OK(cudaStreamGetAttribute(s, cudaLaunchAttributePriority, &v));
    MUST(v.priority == -2);
    v.priority = -4;
    OK(cudaStreamSetAttribute(s, cudaLaunchAttributePriority, &v));
    int p = 9;
    OK(cudaStreamGetPriority(s, &p));
    MUST(p == -4);
    OK(cudaStreamGetAttribute(s, cudaStreamAttributeSynchronizationPolicy, &v));
    MUST(v.syncPolicy == cudaSyncPolicyAuto);
    int stale = 0;
    for (int i = 0; i < 20; ++i) {
        OK(cudaStreamCreate(&s));
        OK(cudaStreamGetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v));
        stale += v.accessPolicyWindow.num_bytes != 0;
        v = {};
        v.accessPolicyWindow.num_bytes = 64;
        OK(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v));
        OK(cudaStreamDestroy(s));
    }
    MUST(stale == 0);
    // 4. misaligned fills, flags that must be 0, places that are none
    CUdeviceptr d;
    OK(cuMemAlloc(&d, 256));
    MUST(cuMemsetD16(d + 1, 1, 2) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuMemsetD32(d + 2, 1, 2) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuMemsetD2D16(d, 5, 1, 2, 2) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuMemsetD2D32(d + 2, 16, 1, 2, 2) == CUDA_ERROR_INVALID_VALUE);
    OK(cuMemsetD2D16(d, 5, 1, 2, 1));  // the pitch of one row is unused
    void* h;
    OK(cuMemHostAlloc(&h, 64, CU_MEMHOSTALLOC_DEVICEMAP));
    MUST(cuMemHostGetDevicePointer(&d, h, 1) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuStreamAddCallback(
             nullptr, [](CUstream, CUresult, void*) {}, nullptr, 1) == CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr m;
    OK(cuMemAllocManaged(&m, 4096, CU_MEM_ATTACH_GLOBAL));
    CUmemLocation there{};
    there.type = CU_MEM_LOCATION_TYPE_DEVICE, there.id = 99;
    MUST(cuMemPrefetchAsync(m, 4096, there, 0, nullptr) == CUDA_ERROR_INVALID_DEVICE);
    MUST(cuMemAdvise(m, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, there) ==
         CUDA_ERROR_INVALID_DEVICE);
    there.id = 0;
    MUST(cuMemPrefetchAsync(m, 4096, there, 1, nullptr) == CUDA_ERROR_INVALID_VALUE);
    // The advice is for whole pages.
    OK(cuMemAdvise(m + 10, 20, CU_MEM_ADVISE_SET_READ_MOSTLY, there));
    int is = 9;
    OK(cudaMemRangeGetAttribute(&is, 4, cudaMemRangeAttributeReadMostly, (void*)m, 4096));
    MUST(is == 1);
    cudaMemLocation here{cudaMemLocationTypeDevice, 0};
    void* r = (void*)m;
    size_t n = 4096, first = 1;
    REFUSED(cudaMemPrefetchBatchAsync(&r, &n, 1, &here, &first, 1, 0, cudaStreamPerThread),
            cudaErrorInvalidValue);
    first = 0;
    REFUSED(cudaMemPrefetchBatchAsync(&r, &n, 1, &here, &first, 1, 0, nullptr),
            cudaErrorInvalidValue);
    return verdict();
}
