// The toolkit's curand_kernel.h, read as host C++: its generators are plain C++.

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <curand_kernel.h>
#elif !defined(CUSET_HOST_CURAND_KERNEL_H)
#define CUSET_HOST_CURAND_KERNEL_H

#include <cuset_host/cuda_types.h>
#include <cuset_host/reading_toolkit.h>
// Sobol sequences' normal numbers; a host without this function gets zeros.
#define HOST_HAVE_ERFCINVF
// The header declares both as constants for MTGP32, whose kernels are then not linked.
#define blockDim __curand_mtgp32_blockDim
#define threadIdx __curand_mtgp32_threadIdx
#include_next <curand_kernel.h>
#undef threadIdx
#undef blockDim
#undef HOST_HAVE_ERFCINVF
#include <cuset_host/reading_program.h>

#endif
