// The toolkit's cuda_fp16.h, read as host C++, and what it keeps for nvcc.

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <cuda_fp16.h>
#elif !defined(CUSET_HOST_CUDA_FP16_H)
#define CUSET_HOST_CUDA_FP16_H

#include <cuset_host/cuda_types.h>

#if !__has_include_next(<cuda_fp16.h>) || !CUSET_HOST_TOOLKIT
#error "cuset-host: unsupported: <cuda_fp16.h> needs the CUDA toolkit's headers"
#endif
#include <cuset_host/reading_toolkit.h>
#include_next <cuda_fp16.h>
#include <cuset_host/reading_program.h>

#include <cuset_host/half_functions.h>

CUSET_HOST_NARROW(__half, __half2, __half2float, __float2half, __double2half, __half2)

#endif
