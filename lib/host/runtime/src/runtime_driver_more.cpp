// The driver API's less common calls: pools, pinned memory, limits, priorities and host functions.
// With the toolkit's cuda.h alone.
#include "driver_calls.h"

#if CUSET_HOST_TOOLKIT

#include <cstring>
#include <string>

#include "cuset_host/faults.h"

using namespace cuset_host;

extern "C" {

CUresult cuMemAllocAsync(CUdeviceptr* p, std::size_t bytes, CUstream stream) {
    return done([&] { return cudaMallocAsync(reinterpret_cast<void**>(p), bytes, stream); });
}
CUresult cuMemFreeAsync(CUdeviceptr p, CUstream stream) {
    return done([&] { return cudaFreeAsync(pointer(p), stream); });
}
CUresult cuMemAllocPitch(CUdeviceptr* p, std::size_t* pitch, std::size_t width, std::size_t height,
                         unsigned) {
    return done([&] { return cudaMallocPitch(reinterpret_cast<void**>(p), pitch, width, height); });
}
CUresult cuMemHostAlloc(void** p, std::size_t bytes, unsigned flags) {
    return done([&] { return cudaHostAlloc(p, bytes, flags); });
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* to, void* p, unsigned flags) {
    return done([&] { return cudaHostGetDevicePointer(reinterpret_cast<void**>(to), p, flags); });
}
CUresult cuMemHostRegister(void* p, std::size_t bytes, unsigned flags) {
    return done([&] { return cudaHostRegister(p, bytes, flags); });
}
CUresult cuMemHostUnregister(void* p) {
    return done([&] { return cudaHostUnregister(p); });
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return done([&] {
        return cudaMemcpyAsync(pointer(to), pointer(from), bytes, cudaMemcpyDefault, stream);
    });
}
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr p) {
    cudaPointerAttributes of{};
    const CUresult result = done([&] { return cudaPointerGetAttributes(&of, pointer(p)); });
    if (result != CUDA_SUCCESS) return result;
    if (of.type == cudaMemoryTypeUnregistered) return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
            *static_cast<unsigned*>(value) =
                of.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
            return CUDA_SUCCESS;
        case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
            *static_cast<void**>(value) = of.devicePointer;
            return CUDA_SUCCESS;
        case CU_POINTER_ATTRIBUTE_HOST_POINTER:
            *static_cast<void**>(value) = of.hostPointer;
            return CUDA_SUCCESS;
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
            *static_cast<unsigned*>(value) = of.type == cudaMemoryTypeManaged;
            return CUDA_SUCCESS;
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            *static_cast<int*>(value) = 0;
            return CUDA_SUCCESS;
        default:
            fail("unsupported",
                 "cuPointerGetAttribute of attribute " + std::to_string(int{attribute}));
    }
}

CUresult cuDeviceGetPCIBusId(char* name, int length, CUdevice device) {
    return done([&] { return cudaDeviceGetPCIBusId(name, length, device); });
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
    cudaDeviceProp properties;
    const CUresult result = done([&] { return cudaGetDeviceProperties(&properties, device); });
    if (result == CUDA_SUCCESS) std::memcpy(uuid, &properties.uuid, sizeof *uuid);
    return result;
}
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
    return done([&] { return cudaDeviceCanAccessPeer(can, device, peer); });
}
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
    return done([&] {
        if (const auto error =
                cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device))
            return error;
        return cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device);
    });
}
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
    return done([&] { return cudaDeviceGetDefaultMemPool(pool, device); });
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    *flags = 0;
    *active = has_primary_context;
    return driver_is_initialised ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}
CUresult cuCtxGetLimit(std::size_t* value, CUlimit limit) {
    return done([&] { return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)); });
}
CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
    return done([&] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    return done([&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
    return done([&] { return cudaStreamCreateWithPriority(stream, flags, priority); });
}
CUresult cuStreamGetPriority(CUstream stream, int* priority) {
    return done([&] { return cudaStreamGetPriority(stream, priority); });
}
CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
    return done([&] { return cudaStreamGetFlags(stream, flags); });
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn call, void* of) {
    return done([&] { return cudaLaunchHostFunc(stream, call, of); });
}

}  // extern "C"

#endif
