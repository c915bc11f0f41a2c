// The two readings of a program. nvcc reads it for the device, with __CUDA_ARCH__, and for the
// host, without. Here one text serves both, so that what differs stands in it twice:
//
//   #ifdef __CUDA_ARCH__                       (outside functions)
//   #define SIDE 1                             #define cuset_device_SIDE 1
//   __device__ int f() { … }                   __device__ int cuset_device_f() { … }
//   #else
//   #define SIDE 0                             #define SIDE 0
//   int f() { … }                              int f() { … }
//   #endif
//   #define TWICE (2 * SIDE)                   as it is, and behind it
//                                              #define cuset_device_TWICE (2 * cuset_device_SIDE)
//   __global__ void k() { … SIDE … f() … }     … cuset_device_SIDE … cuset_device_f() …
//   __host__ __device__ int g() { … SIDE … }   { if (::cuset_host::is_host_code()) { … SIDE … }
//                                                else { … cuset_device_SIDE … } }
//
// A text behind `#line` stands where lines are written twice. Private to lib/host.
#pragma once

#include <string>
#include <string_view>

#include "cuset/host/translation.h"
#include "cuset/syntax/cuda_program.h"

namespace cuset {

struct separated_sides {
    std::string text;         ///< empty if nothing has to be written twice
    std::string unsupported;  ///< why the program cannot be separated; empty if it can
};

/// `arch` is the device's __CUDA_ARCH__.
separated_sides separate_sides(std::string_view text, const std::string& arch,
                               const nvcc_dialect& dialect);

/// Makes host code of the blocks that separate_sides() wrote for the host.
void mark_host_blocks(syntax::cuda_program& program);

}  // namespace cuset
