// The driver API, as far as it names what the runtime API has too: device, context, memory, streams
// and events. Calls that load modules are not defined, so that the linker names them.
#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "calls.h"
#include "cuset_host/cuda_types.h"
#include "cuset_host/device_memory.h"
#include "cuset_host/threads/execution.h"
#include "device/device_model.h"
#include "memory/kernel_stores.h"
#include "streams/graphs.h"

using namespace cuset_host;

namespace {

/// The device has one context, which always exists; a program's own are names for it.
struct CUctx_st* const only_context = reinterpret_cast<CUcontext>(0x10);
std::atomic<unsigned> times_retained{0};  // by the program
template <class T>
cudaError_t filled(CUdeviceptr p, T value, std::size_t count) {
    const std::size_t bytes = count * sizeof value;
    if (p % sizeof value != 0) return cudaErrorInvalidValue;
    if (!is_within(pointer(p), bytes) || kind_of(pointer(p)) == memory_kind::host)
        return cudaErrorInvalidValue;
    // The first element is set as any memory is, and then copied, which tells all who watch.
    std::size_t set = 0;
    auto* const to = static_cast<char*>(pointer(p));
    for (; set < bytes && set < sizeof value; ++set) {
        unsigned char byte;
        std::memcpy(&byte, reinterpret_cast<char*>(&value) + set, 1);
        if (const cudaError_t error = cudaMemset(to + set, byte, 1)) return error;
    }
    while (set < bytes) {
        const std::size_t more = set < bytes - set ? set : bytes - set;
        if (const cudaError_t error = cudaMemcpy(to + set, to, more, cudaMemcpyDeviceToDevice))
            return error;
        set += more;
    }
    return cudaSuccess;
}
template <class T>
CUresult fill(CUdeviceptr p, T value, std::size_t count) {
    return done([&] { return filled(p, value, count); });
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned flags) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    driver_is_initialised = true;
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) { return driver_result(cudaDriverGetVersion(version)); }

CUresult cuGetErrorName(CUresult error, const char** name) {
    switch (error) {
        case CUDA_SUCCESS: *name = "CUDA_SUCCESS"; break;
        case CUDA_ERROR_INVALID_VALUE: *name = "CUDA_ERROR_INVALID_VALUE"; break;
        case CUDA_ERROR_OUT_OF_MEMORY: *name = "CUDA_ERROR_OUT_OF_MEMORY"; break;
        case CUDA_ERROR_NOT_INITIALIZED: *name = "CUDA_ERROR_NOT_INITIALIZED"; break;
        case CUDA_ERROR_INVALID_DEVICE: *name = "CUDA_ERROR_INVALID_DEVICE"; break;
        case CUDA_ERROR_INVALID_CONTEXT: *name = "CUDA_ERROR_INVALID_CONTEXT"; break;
        case CUDA_ERROR_INVALID_HANDLE: *name = "CUDA_ERROR_INVALID_HANDLE"; break;
        default: *name = nullptr; return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
    if (const char* name; cuGetErrorName(error, &name) != CUDA_SUCCESS) {
        *text = nullptr;
        return CUDA_ERROR_INVALID_VALUE;
    }
    *text = cudaGetErrorString(static_cast<cudaError_t>(error));
    if (error == CUDA_ERROR_INVALID_CONTEXT) *text = "invalid device context";
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
    return done([&] { return cudaGetDeviceCount(count); });
}

CUresult cuDeviceGet(CUdevice* device, int number) {
    if (!driver_is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
    if (number != 0) return CUDA_ERROR_INVALID_DEVICE;
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice number) {
    if (number != 0) return CUDA_ERROR_INVALID_DEVICE;
    if (length > 0) std::snprintf(name, static_cast<std::size_t>(length), "%s", device().name);
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice number) {
    if (number != 0) return CUDA_ERROR_INVALID_DEVICE;
    *bytes = device().memory;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice number) {
    return done([&] {
        return cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), number);
    });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice number) {
    if (number != 0) return CUDA_ERROR_INVALID_DEVICE;
    *context = only_context;
    ++times_retained;
    has_primary_context = true;
    return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice number) {
    if (number != 0) return CUDA_ERROR_INVALID_DEVICE;
    if (times_retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
    if (--times_retained > 0 || runtime_has_begun) return CUDA_SUCCESS;
    return done([] { return cudaDeviceReset(); });
}
CUresult cuDevicePrimaryCtxReset(CUdevice number) {
    if (number != 0) return CUDA_ERROR_INVALID_DEVICE;
    return done([] { return cudaDeviceReset(); });
}

CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams*, unsigned, CUdevice number) {
    if (!driver_is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
    if (number != 0) return CUDA_ERROR_INVALID_DEVICE;
    *context = only_context;
    has_context = true;
    return CUDA_SUCCESS;
}
CUresult cuCtxDestroy(CUcontext context) {
    if (context != only_context) return CUDA_ERROR_INVALID_CONTEXT;
    has_context = false;
    return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
    if (!driver_is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
    *context = has_context ? only_context : nullptr;
    return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
    if (context != nullptr && context != only_context) return CUDA_ERROR_INVALID_CONTEXT;
    has_context = context != nullptr;
    return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent(CUcontext context) { return cuCtxSetCurrent(context); }
CUresult cuCtxPopCurrent(CUcontext* context) {
    if (!has_context) return CUDA_ERROR_INVALID_CONTEXT;
    if (context != nullptr) *context = only_context;
    has_context = false;
    return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* number) {
    *number = 0;
    return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
    return done([] { return cudaDeviceSynchronize(); });
}

CUresult cuMemGetInfo(std::size_t* unused, std::size_t* total) {
    return done([&] { return cudaMemGetInfo(unused, total); });
}
CUresult cuMemAlloc(CUdeviceptr* p, std::size_t bytes) {
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    return done([&] { return cudaMalloc(reinterpret_cast<void**>(p), bytes); });
}
CUresult cuMemAllocManaged(CUdeviceptr* p, std::size_t bytes, unsigned flags) {
    return done([&] { return cudaMallocManaged(reinterpret_cast<void**>(p), bytes, flags); });
}
CUresult cuMemFree(CUdeviceptr p) {
    return done([&] { return cudaFree(pointer(p)); });
}
CUresult cuMemAllocHost(void** p, std::size_t bytes) {
    return done([&] { return cudaMallocHost(p, bytes); });
}
CUresult cuMemFreeHost(void* p) {
    return done([&] { return cudaFreeHost(p); });
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    return done([&] { return cudaMemcpy(pointer(to), pointer(from), bytes, cudaMemcpyDefault); });
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
    return done([&] { return cudaMemcpy(pointer(to), from, bytes, cudaMemcpyHostToDevice); });
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
    return done([&] { return cudaMemcpy(to, pointer(from), bytes, cudaMemcpyDeviceToHost); });
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    return done(
        [&] { return cudaMemcpy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice); });
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
    return done(
        [&] { return cudaMemcpyAsync(pointer(to), from, bytes, cudaMemcpyHostToDevice, stream); });
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return done(
        [&] { return cudaMemcpyAsync(to, pointer(from), bytes, cudaMemcpyDeviceToHost, stream); });
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return done([&] {
        return cudaMemcpyAsync(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, stream);
    });
}

CUresult cuMemsetD8(CUdeviceptr p, unsigned char value, std::size_t count) {
    return done([&] { return cudaMemset(pointer(p), value, count); });
}
CUresult cuMemsetD16(CUdeviceptr p, unsigned short value, std::size_t count) {
    return fill(p, value, count);
}
CUresult cuMemsetD32(CUdeviceptr p, unsigned value, std::size_t count) {
    return fill(p, value, count);
}
CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char value, std::size_t count, CUstream stream) {
    return done([&] { return cudaMemsetAsync(pointer(p), value, count, stream); });
}
CUresult cuMemsetD32Async(CUdeviceptr p, unsigned value, std::size_t count, CUstream stream) {
    return done([&] {
        return captured_or_done(stream, cudaGraphNodeTypeMemset,
                                [=] { return filled(p, value, count); });
    });
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
    return done([&] { return cudaStreamCreateWithFlags(stream, flags); });
}
CUresult cuStreamDestroy(CUstream stream) {
    return done([&] { return cudaStreamDestroy(stream); });
}
CUresult cuStreamSynchronize(CUstream stream) {
    return done([&] { return cudaStreamSynchronize(stream); });
}
CUresult cuStreamQuery(CUstream stream) {
    return done([&] { return cudaStreamQuery(stream); });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    return done([&] { return cudaStreamWaitEvent(stream, event, flags); });
}
CUresult cuEventCreate(CUevent* event, unsigned flags) {
    return done([&] { return cudaEventCreateWithFlags(event, flags); });
}
CUresult cuEventDestroy(CUevent event) {
    return done([&] { return cudaEventDestroy(event); });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
    return done([&] { return cudaEventRecord(event, stream); });
}
CUresult cuEventSynchronize(CUevent event) {
    return done([&] { return cudaEventSynchronize(event); });
}
CUresult cuEventQuery(CUevent event) {
    return done([&] { return cudaEventQuery(event); });
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
    return done([&] { return cudaEventElapsedTime(milliseconds, begin, end); });
}

}  // extern "C"
