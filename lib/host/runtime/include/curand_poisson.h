// A part of the toolkit's curand_kernel.h.

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <curand_poisson.h>
#elif !defined(CUSET_HOST_CURAND_POISSON_H)
#define CUSET_HOST_CURAND_POISSON_H
#include <curand_kernel.h>
#endif
