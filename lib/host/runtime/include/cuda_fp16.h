// CUDA's cuda_fp16.h, read as host C++, and what it keeps for nvcc.

#ifdef CUSET_HOST_READING_TOOLKIT
#include <cuset_host/reading_halves.h>
#elif !defined(CUSET_HOST_CUDA_FP16_H)
#define CUSET_HOST_CUDA_FP16_H

#include <cuset_host/cuda_types.h>
#include <cuset_host/reading_toolkit.h>
#include <cuset_host/reading_halves.h>
#include <cuset_host/reading_program.h>

#include <cuset_host/math/half_functions.h>

namespace cuset_host {
inline __half half_fused(float a, float b, float c) {
    return __float2half(half_fused_for_rounding(a, b, c));
}
}  // namespace cuset_host

CUSET_HOST_NARROW(__half, __half2, __half2float, __float2half, cuset_host::half_fused, __half2)

#endif
