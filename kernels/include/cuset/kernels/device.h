// What the GPU versions of the kernels have in common. Pointers are device memory, work is queued
// on a stream and nothing waits; no header here needs CUDA. Where the toolkit's compiler was
// missing at build time every one of them answers device_not_built.
#pragma once

struct CUstream_st;

namespace cuset::kernels {

/// A cudaStream_t; null is the default stream.
using device_stream = CUstream_st*;

/// 0, a cudaError_t, or device_not_built. Arguments that a kernel does not take are
/// cudaErrorInvalidValue. What goes wrong while a kernel runs comes out of a later call, as always
/// in CUDA.
using device_error = int;
inline constexpr device_error device_not_built = -1;

/// In words; never null.
const char* text_of(device_error error);

/// Which build of the kernels a driver takes for a GPU of this compute capability, without asking
/// one; as device_kernels_name(). Below 8.0 there is none: the PTX is 8.0's.
constexpr const char* device_kernels_for(int major, int minor) {
    if (major < 8) return "none";
    if (major == 8) return "sm_80";
    return major == 9 && minor == 0 ? "sm_90a" : "PTX";
}

/// Which build of the kernels runs on the calling thread's current device: "sm_80", "sm_90a" or
/// "PTX" (compiled by the driver, for a GPU that none of them is for); "none" without a device or
/// without GPU kernels.
const char* device_kernels_name();

}  // namespace cuset::kernels
