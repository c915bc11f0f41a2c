// The two functions of CUDA's cuda_profiler_api.h.
#pragma once

#include <cuset_host/cuda_types.h>

extern "C" cudaError_t cudaProfilerStart();
extern "C" cudaError_t cudaProfilerStop();
