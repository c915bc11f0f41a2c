// What the calls of the driver API share: most stand for one of the runtime API.
#pragma once

#include <cuda.h>

#include "cuset_host/cuda_types.h"
#include "device/device_model.h"

namespace cuset_host {

cudaError_t set_error(cudaError_t error);

/// The numbers of both APIs are the same. The runtime API's last error is not the driver's.
inline CUresult driver_result(cudaError_t error) { return static_cast<CUresult>(error); }

inline void* pointer(CUdeviceptr p) { return reinterpret_cast<void*>(p); }

template <class F>
CUresult done(const F& call) {
    if (!driver_is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
    const cudaError_t before = cudaPeekAtLastError();
    const bool had_begun = runtime_has_begun, had_context = has_primary_context;
    const cudaError_t error = call();
    if (!had_begun) runtime_has_begun = false;  // the call is the driver's
    if (!had_context) has_primary_context = false;
    if (error != cudaSuccess) {
        cudaGetLastError();
        set_error(before);
    }
    return driver_result(error);
}

}  // namespace cuset_host
