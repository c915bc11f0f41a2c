// CUB's reports of errors, and its allocator.
#pragma once

#include <cuset_host/cub/device_algorithms.h>

#include <cstdio>
#include <cstdlib>

namespace cub {

/// The error, or else the last one of a launch, which it clears. It says so where CUB_STDERR asks.
inline cudaError_t Debug(cudaError_t error, [[maybe_unused]] const char* file,
                         [[maybe_unused]] int line) {
    const cudaError_t last = cudaGetLastError();
    if (error == cudaSuccess) error = last;
#ifdef CUB_STDERR
    if (error != cudaSuccess)
        std::fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", static_cast<int>(error), file, line,
                     cudaGetErrorString(error));
#endif
    return error;
}
#ifndef CubDebug
#define CubDebug(e) ::cub::Debug(static_cast<cudaError_t>(e), __FILE__, __LINE__)
#endif
#ifndef CubDebugExit
#define CubDebugExit(e)                                                  \
    if (::cub::Debug(static_cast<cudaError_t>(e), __FILE__, __LINE__)) { \
        exit(1);                                                         \
    }
#endif

/// Device memory, kept by nobody here: what is freed is freed at once.
struct CachingDeviceAllocator {
    explicit CachingDeviceAllocator(bool = false, bool = false) {}
    CachingDeviceAllocator(unsigned, unsigned = 1, unsigned = ~0U, std::size_t = ~std::size_t{0},
                           bool = false, bool = false) {}
    cudaError_t DeviceAllocate(void** p, std::size_t bytes, cudaStream_t = nullptr) {
        return cudaMalloc(p, bytes);
    }
    cudaError_t DeviceAllocate(int, void** p, std::size_t bytes, cudaStream_t = nullptr) {
        return cudaMalloc(p, bytes);
    }
    cudaError_t DeviceFree(void* p) { return cudaFree(p); }
    cudaError_t DeviceFree(int, void* p) { return cudaFree(p); }
    cudaError_t FreeAllCached() { return cudaSuccess; }
};

}  // namespace cub
