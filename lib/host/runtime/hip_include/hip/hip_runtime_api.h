// HIP's types and calls, over CUDA's.
#pragma once

#include <cuset_host/cuda_types.h>
#include <cuset_host/hip/calls.h>
#include <cuset_host/hip/device_properties.h>
#include <cuset_host/hip/graph_calls.h>
#include <cuset_host/hip/names.h>
#include <hip/hip_version.h>

#define HIP_SYMBOL(symbol) symbol
#define HIP_KERNEL_NAME(...) __VA_ARGS__
