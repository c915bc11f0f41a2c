// Calls of HIP that have other parameters than CUDA's, or that CUDA has in its driver API.
#pragma once

#include <cstddef>
#include <cstring>

#include "cuset_host/api/api_templates.h"
#include "cuset_host/cuda_types.h"

typedef void* hipDeviceptr_t;
typedef int hipDevice_t;

inline cudaError_t hipInit(unsigned) { return cudaSuccess; }
inline cudaError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
    int count = 0;
    if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) return error;
    if (ordinal < 0 || ordinal >= count) return cudaErrorInvalidDevice;
    *device = ordinal;
    return cudaSuccess;
}
inline cudaError_t hipDeviceGetName(char* name, int size, hipDevice_t device) {
    cudaDeviceProp about{};
    const cudaError_t error = cudaGetDeviceProperties(&about, device);
    if (error == cudaSuccess && size > 0) {
        std::strncpy(name, about.name, static_cast<size_t>(size));
        name[size - 1] = '\0';
    }
    return error;
}
inline cudaError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device) {
    cudaDeviceProp about{};
    const cudaError_t error = cudaGetDeviceProperties(&about, device);
    if (error == cudaSuccess) *bytes = about.totalGlobalMem;
    return error;
}
inline cudaError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device) {
    const cudaError_t error =
        cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
    if (error != cudaSuccess) return error;
    return cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device);
}

namespace cuset_host {
const char* name_of_error_in_hip(cudaError_t error);
}  // namespace cuset_host

inline const char* hipGetErrorName(cudaError_t error) {
    return cuset_host::name_of_error_in_hip(error);
}

template <class T>
inline cudaError_t hipHostMalloc(T** pointer, size_t bytes, unsigned flags = 0) {
    return ::cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
inline cudaError_t hipMemAllocHost(T** pointer, size_t bytes) {
    return hipHostMalloc(pointer, bytes);
}
inline cudaError_t hipMemAllocPitch(hipDeviceptr_t* pointer, size_t* pitch, size_t width,
                                    size_t height, unsigned) {
    return ::cudaMallocPitch(pointer, pitch, width, height);
}
template <class T>
inline cudaError_t hipExtMallocWithFlags(T** pointer, size_t bytes, unsigned) {
    return ::cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
#define hipDeviceMallocDefault 0u
#define hipDeviceMallocFinegrained 1u

inline cudaError_t hipMemcpyWithStream(void* to, const void* from, size_t bytes,
                                       cudaMemcpyKind kind, cudaStream_t stream) {
    const cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, stream);
    return error != cudaSuccess ? error : cudaStreamSynchronize(stream);
}
inline cudaError_t hipMemcpyHtoD(hipDeviceptr_t to, const void* from, size_t bytes) {
    return cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice);
}
inline cudaError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, size_t bytes) {
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost);
}
inline cudaError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes) {
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
inline cudaError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void* from, size_t bytes,
                                      cudaStream_t stream) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream);
}
inline cudaError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, size_t bytes,
                                      cudaStream_t stream) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream);
}
inline cudaError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes,
                                      cudaStream_t stream) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
inline cudaError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count) {
    return cudaMemset(to, value, count);
}
inline cudaError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count,
                                    cudaStream_t stream = nullptr) {
    return cudaMemsetAsync(to, value, count, stream);
}

namespace cuset_host {
// The runtime API sets such words only in a graph's node, and the driver API by a call.
cudaError_t set_halves(void* to, unsigned short value, size_t count);
cudaError_t set_words(void* to, unsigned value, size_t count);
cudaError_t set_words(void* to, unsigned value, size_t count, cudaStream_t stream);
}  // namespace cuset_host

inline cudaError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t count) {
    return cuset_host::set_halves(to, value, count);
}
inline cudaError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count) {
    return cuset_host::set_words(to, static_cast<unsigned>(value), count);
}
inline cudaError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count,
                                     cudaStream_t stream = nullptr) {
    return cuset_host::set_words(to, static_cast<unsigned>(value), count, stream);
}

#if CUDART_VERSION >= 13000
namespace cuset_host {
/// The device that HIP's calls about managed memory name by its number.
inline cudaMemLocation hip_location(int device) {
    cudaMemLocation place{};
    place.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    place.id = device == cudaCpuDeviceId ? 0 : device;
    return place;
}
}  // namespace cuset_host

inline cudaError_t hipMemPrefetchAsync(const void* address, size_t bytes, int device,
                                       cudaStream_t stream = nullptr) {
    return cudaMemPrefetchAsync(address, bytes, cuset_host::hip_location(device), 0, stream);
}
inline cudaError_t hipMemAdvise(const void* address, size_t bytes, cudaMemoryAdvise advice,
                                int device) {
    return cudaMemAdvise(address, bytes, advice, cuset_host::hip_location(device));
}
#else
inline cudaError_t hipMemPrefetchAsync(const void* address, size_t bytes, int device,
                                       cudaStream_t stream = nullptr) {
    return cudaMemPrefetchAsync(address, bytes, device, stream);
}
inline cudaError_t hipMemAdvise(const void* address, size_t bytes, cudaMemoryAdvise advice,
                                int device) {
    return cudaMemAdvise(address, bytes, advice, device);
}
#endif
