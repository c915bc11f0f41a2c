// CUDA's cuda_bf16.h, read as host C++, and what it keeps for nvcc.

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <cuda_bf16.h>
#elif !defined(CUSET_HOST_CUDA_BF16_H)
#define CUSET_HOST_CUDA_BF16_H

#include <cuset_host/cuda_types.h>
#include <cuda_fp16.h>
#include <cuset_host/reading_toolkit.h>
#include_next <cuda_bf16.h>
#include <cuset_host/reading_program.h>

#include <cuset_host/math/half_functions.h>

namespace cuset_host {
inline __nv_bfloat16 bfloat16_fused(double a, double b, double c) {
    return __double2bfloat16(fused_for_rounding(a, b, c));
}
}  // namespace cuset_host

CUSET_HOST_NARROW(__nv_bfloat16, __nv_bfloat162, __bfloat162float, __float2bfloat16,
                  cuset_host::bfloat16_fused, __bfloat162)

#endif
