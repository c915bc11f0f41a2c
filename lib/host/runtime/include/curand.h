// The toolkit's curand.h, read as host C++, and the generators of the host API over those of
// curand_kernel.h.

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <curand.h>
#elif !defined(CUSET_HOST_CURAND_H)
#define CUSET_HOST_CURAND_H

#include <cuset_host/cuda_types.h>
#include <cuset_host/reading_toolkit.h>
#include_next <curand.h>
#include <cuset_host/reading_program.h>

#include <cuset_host/curand_generators.h>

#endif
