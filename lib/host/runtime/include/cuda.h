// CUDA's cuda.h, read as host C++.

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <cuda.h>
#elif !defined(CUSET_HOST_CUDA_H)
#define CUSET_HOST_CUDA_H

#include <cuset_host/cuda_types.h>

#include <cuset_host/reading_toolkit.h>
#include_next <cuda.h>
#include <cuset_host/reading_program.h>

#endif
