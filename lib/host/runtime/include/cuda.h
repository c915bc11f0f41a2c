// The toolkit's cuda.h, read as host C++, or else our own declarations of the driver API.

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <cuda.h>
#elif !defined(CUSET_HOST_CUDA_H)
#define CUSET_HOST_CUDA_H

#include <cuset_host/cuda_types.h>

#if __has_include_next(<cuda.h>) && CUSET_HOST_TOOLKIT
#include <cuset_host/reading_toolkit.h>
#include_next <cuda.h>
#include <cuset_host/reading_program.h>
#else
#include <cuset_host/api/minimal_driver.h>

#endif

#endif
