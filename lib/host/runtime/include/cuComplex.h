// CUDA's cuComplex.h, read as host C++.

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <cuComplex.h>
#elif !defined(CUSET_HOST_CUCOMPLEX_H)
#define CUSET_HOST_CUCOMPLEX_H

#include <cuset_host/cuda_types.h>
#include <cuset_host/reading_toolkit.h>
#include_next <cuComplex.h>
#include <cuset_host/reading_program.h>

#endif
