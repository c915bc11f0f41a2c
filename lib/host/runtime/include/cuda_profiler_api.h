// The toolkit's cuda_profiler_api.h, read as host C++; without a toolkit our own declarations have
// its functions already.

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <cuda_profiler_api.h>
#elif !defined(CUSET_HOST_CUDA_PROFILER_API_H)
#define CUSET_HOST_CUDA_PROFILER_API_H

#include <cuset_host/cuda_types.h>

#if __has_include_next(<cuda_profiler_api.h>) && CUSET_HOST_TOOLKIT
#include <cuset_host/reading_toolkit.h>
#include_next <cuda_profiler_api.h>
#include <cuset_host/reading_program.h>
#endif

#endif
