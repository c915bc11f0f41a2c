// A part of the toolkit's curand_kernel.h.

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <curand_philox4x32_x.h>
#elif !defined(CUSET_HOST_CURAND_PHILOX4X32_X_H)
#define CUSET_HOST_CURAND_PHILOX4X32_X_H
#include <curand_kernel.h>
#endif
