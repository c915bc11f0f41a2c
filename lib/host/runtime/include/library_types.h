// CUDA's library_types.h, read as host C++.

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <library_types.h>
#elif !defined(CUSET_HOST_LIBRARY_TYPES_H)
#define CUSET_HOST_LIBRARY_TYPES_H

#include <cuset_host/cuda_types.h>
#include <cuset_host/reading_toolkit.h>
#include_next <library_types.h>
#include <cuset_host/reading_program.h>

#endif
