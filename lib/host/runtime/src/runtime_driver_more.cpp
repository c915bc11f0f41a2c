// The driver API's less common calls: pools, pinned memory, limits, priorities and host functions;
// and the pointers to its calls that the runtime API gives. With the toolkit's cuda.h alone.
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
    *active = 1;
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

namespace {

#define CUSET_HOST_ENTRY(name) \
    { #name, reinterpret_cast < void*>(&name) }
const struct {
    const char* name;
    void* call;
} entries[] = {
    CUSET_HOST_ENTRY(cuInit),
    CUSET_HOST_ENTRY(cuDriverGetVersion),
    CUSET_HOST_ENTRY(cuGetErrorName),
    CUSET_HOST_ENTRY(cuGetErrorString),
    CUSET_HOST_ENTRY(cuDeviceGetCount),
    CUSET_HOST_ENTRY(cuDeviceGet),
    CUSET_HOST_ENTRY(cuDeviceGetName),
    CUSET_HOST_ENTRY(cuDeviceTotalMem),
    CUSET_HOST_ENTRY(cuDeviceGetAttribute),
    CUSET_HOST_ENTRY(cuDeviceGetUuid),
    CUSET_HOST_ENTRY(cuDevicePrimaryCtxRetain),
    CUSET_HOST_ENTRY(cuDevicePrimaryCtxRelease),
    CUSET_HOST_ENTRY(cuCtxGetCurrent),
    CUSET_HOST_ENTRY(cuCtxSetCurrent),
    CUSET_HOST_ENTRY(cuCtxGetDevice),
    CUSET_HOST_ENTRY(cuCtxSynchronize),
    CUSET_HOST_ENTRY(cuMemGetInfo),
    CUSET_HOST_ENTRY(cuMemAlloc),
    CUSET_HOST_ENTRY(cuMemFree),
    CUSET_HOST_ENTRY(cuMemAllocAsync),
    CUSET_HOST_ENTRY(cuMemFreeAsync),
    CUSET_HOST_ENTRY(cuMemcpyHtoD),
    CUSET_HOST_ENTRY(cuMemcpyDtoH),
    CUSET_HOST_ENTRY(cuMemsetD32),
    CUSET_HOST_ENTRY(cuStreamCreate),
    CUSET_HOST_ENTRY(cuStreamDestroy),
    CUSET_HOST_ENTRY(cuStreamSynchronize),
    CUSET_HOST_ENTRY(cuLaunchKernel),
    CUSET_HOST_ENTRY(cuLaunchKernelEx),
    CUSET_HOST_ENTRY(cuLaunchCooperativeKernel),
    CUSET_HOST_ENTRY(cuCtxDestroy),
    CUSET_HOST_ENTRY(cuMemcpyDtoD),
    CUSET_HOST_ENTRY(cuMemcpyAsync),
    CUSET_HOST_ENTRY(cuMemcpyHtoDAsync),
    CUSET_HOST_ENTRY(cuMemcpyDtoHAsync),
    CUSET_HOST_ENTRY(cuMemsetD8),
    CUSET_HOST_ENTRY(cuMemGetAddressRange),
    CUSET_HOST_ENTRY(cuEventCreate),
    CUSET_HOST_ENTRY(cuEventDestroy),
    CUSET_HOST_ENTRY(cuEventRecord),
    CUSET_HOST_ENTRY(cuEventSynchronize),
    CUSET_HOST_ENTRY(cuEventElapsedTime),
    CUSET_HOST_ENTRY(cuStreamWaitEvent),
    CUSET_HOST_ENTRY(cuStreamQuery),
    CUSET_HOST_ENTRY(cuPointerGetAttribute),
    CUSET_HOST_ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor),
    CUSET_HOST_ENTRY(cuOccupancyMaxPotentialBlockSize),
    CUSET_HOST_ENTRY(cuFuncGetAttribute),
    CUSET_HOST_ENTRY(cuFuncSetAttribute),
    CUSET_HOST_ENTRY(cuMemAddressReserve),
    CUSET_HOST_ENTRY(cuMemCreate),
    CUSET_HOST_ENTRY(cuMemMap),
    CUSET_HOST_ENTRY(cuMemSetAccess),
    CUSET_HOST_ENTRY(cuMemGetAllocationGranularity),
};
#undef CUSET_HOST_ENTRY

/// The call of a name; the program ends where it is not modelled.
void* call_named(const char* name) {
    for (const auto& each : entries)
        if (std::strcmp(each.name, name) == 0) return each.call;
    fail("unsupported", "a driver entry point of the name " + std::string(name));
}

cudaError_t entry(const char* name, void** call, cudaDriverEntryPointQueryResult* found) {
    if (name == nullptr || call == nullptr) return set_error(cudaErrorInvalidValue);
    *call = call_named(name);
    reach_device();
    if (found != nullptr) *found = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** call, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* found) {
    return entry(name, call, found);
}
cudaError_t cudaGetDriverEntryPoint(const char* name, void** call, unsigned long long,
                                    cudaDriverEntryPointQueryResult* found) {
    return entry(name, call, found);
}
#if CUDA_VERSION >= 12000
CUresult cuGetProcAddress(const char* name, void** call, int, cuuint64_t,
                          CUdriverProcAddressQueryResult* found) {
    if (name == nullptr || call == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *call = call_named(name);
    if (found != nullptr) *found = CU_GET_PROC_ADDRESS_SUCCESS;
    return CUDA_SUCCESS;
}
#endif

}  // extern "C"

#endif
