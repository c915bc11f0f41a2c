// Included before the first line of a .cpp file, instead of program.h: nvcc leaves it to the host
// compiler, which knows none of the device's functions. A program may have its own of their names.
#pragma once

#include <cuset_host/checked_copies.h>
#include <cuset_host/cuda_types.h>
#include <cuset_host/threads/execution.h>
#include <cuset_host/threads/named_kernels.h>
#include <cuset_host/host_algorithms.h>
#include <cuset_host/unchecked_calls.h>

#undef __CUDACC__
#undef __NVCC__
