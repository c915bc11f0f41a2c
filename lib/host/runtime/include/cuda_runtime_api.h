// What nvcc includes of itself, and program.h has already: nothing more, for the program. The
// toolkit's headers find their own.

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <cuda_runtime_api.h>
#elif !defined(CUSET_HOST_CUDA_RUNTIME_API_H)
#define CUSET_HOST_CUDA_RUNTIME_API_H
#include <cuset_host/cuda_types.h>
#endif
