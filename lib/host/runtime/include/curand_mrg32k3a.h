// A part of the toolkit's curand_kernel.h.

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <curand_mrg32k3a.h>
#elif !defined(CUSET_HOST_CURAND_MRG32K3A_H)
#define CUSET_HOST_CURAND_MRG32K3A_H
#include <curand_kernel.h>
#endif
