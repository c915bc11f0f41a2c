#include <cuda_runtime.h>

#include "cuset/kernels/device.h"

namespace cuset::kernels {
namespace {
__global__ void kernel_of_any_build() {}
}  // namespace

const char* text_of(device_error error) {
    if (error == device_not_built) return "built without the CUDA compiler";
    return cudaGetErrorString(static_cast<cudaError_t>(error));
}

const char* device_kernels_name() {
    cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, kernel_of_any_build) != cudaSuccess) {
        static_cast<void>(cudaGetLastError());  // no device is an answer, not an error
        return "none";
    }
    if (attributes.binaryVersion == 80) return "sm_80";
    if (attributes.binaryVersion == 90) return "sm_90a";
    return "PTX";
}

}  // namespace cuset::kernels
