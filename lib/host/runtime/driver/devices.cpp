// The driver API's questions about the device and its context's limits.
#include <cstring>

#include "calls.h"

using namespace cuset_host;

extern "C" {

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

}  // extern "C"
