// The names of errors in HIP.
#include <map>
#include <mutex>
#include <string>

#include "cuset_host/cuda_types.h"

namespace cuset_host {

const char* name_of_error_in_hip(cudaError_t error);

/// CUDA's name of the error with HIP's beginning; some differ in more than that. What is given
/// stays what it is, whatever else is asked.
const char* name_of_error_in_hip(cudaError_t error) {
    switch (error) {
        case cudaErrorMemoryAllocation: return "hipErrorOutOfMemory";
        case cudaErrorInitializationError: return "hipErrorNotInitialized";
        case cudaErrorCudartUnloading: return "hipErrorDeinitialized";
        case cudaErrorInvalidResourceHandle: return "hipErrorInvalidHandle";
        case cudaErrorInvalidKernelImage: return "hipErrorInvalidImage";
        case cudaErrorDeviceUninitialized: return "hipErrorInvalidContext";
        case cudaErrorNoKernelImageForDevice: return "hipErrorNoBinaryForGpu";
        case cudaErrorECCUncorrectable: return "hipErrorECCNotCorrectable";
        case cudaErrorSymbolNotFound: return "hipErrorNotFound";
        case cudaErrorLaunchTimeout: return "hipErrorLaunchTimeOut";
        case cudaErrorInvalidPtx: return "hipErrorInvalidKernelFile";
        default: break;
    }
    static std::mutex mutex;
    static std::map<int, std::string> names;
    const std::lock_guard lock(mutex);
    std::string& name = names[static_cast<int>(error)];
    if (name.empty()) {
        name = cudaGetErrorName(error);
        if (name.rfind("cuda", 0) == 0) name.replace(0, 4, "hip");
    }
    return name.c_str();
}

}  // namespace cuset_host
