// HIP's types and calls, over CUDA's.
#pragma once

#include <cuda_profiler_api.h>
#include <cuset_host/cuda_types.h>
#include <cuset_host/hip/calls.h>
#include <cuset_host/hip/device_properties.h>
#include <cuset_host/hip/graph_calls.h>
#include <cuset_host/hip/names.h>
#include <hip/hip_version.h>

// Names of HIP's first releases, of which samples still use the first.
enum {
    HIP_SUCCESS = 0,
    HIP_ERROR_INVALID_VALUE,
    HIP_ERROR_NOT_INITIALIZED,
    HIP_ERROR_LAUNCH_OUT_OF_RESOURCES
};

#define HIP_SYMBOL(symbol) symbol
#define HIP_KERNEL_NAME(...) __VA_ARGS__
