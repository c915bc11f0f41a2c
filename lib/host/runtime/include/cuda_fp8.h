// CUDA's cuda_fp8.h, read as host C++.

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <cuda_fp8.h>
#elif !defined(CUSET_HOST_CUDA_FP8_H)
#define CUSET_HOST_CUDA_FP8_H

#include <cuset_host/cuda_types.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuset_host/reading_toolkit.h>
#include_next <cuda_fp8.h>
#include <cuset_host/reading_program.h>

#endif
