// What the GPU versions of the kernels share. Pointers are device memory. Work is queued on a
// stream, and nothing waits. No header here needs CUDA. If the CUDA compiler was missing at build
// time, each of them returns device_not_built.
#pragma once

struct CUstream_st;

namespace cuset::kernels {

/// A cudaStream_t; null is the default stream.
using device_stream = CUstream_st*;

/// 0, a cudaError_t, or device_not_built. Arguments that a kernel does not accept give
/// cudaErrorInvalidValue. Errors while a kernel runs come from a later call, as always in CUDA.
using device_error = int;
inline constexpr device_error device_not_built = -1;

/// In words; never null.
const char* text_of(device_error error);

/// The build of the kernels that a driver takes for a GPU of this compute capability, named as by
/// device_kernels_name(), without asking a driver. Below 8.0 there is none: the PTX needs 8.0.
constexpr const char* device_kernels_for(int major, int minor) {
    if (major < 8) return "none";
    if (major == 8) return "sm_80";
    return major == 9 && minor == 0 ? "sm_90a" : "PTX";
}

/// The build of the kernels that runs on the calling thread's current device: "sm_80", "sm_90a" or
/// "PTX" (compiled by the driver for other GPUs); "none" without a device or without GPU kernels.
const char* device_kernels_name();

}  // namespace cuset::kernels
