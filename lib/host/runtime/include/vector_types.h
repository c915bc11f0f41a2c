// What nvcc includes of itself, and program.h has already: nothing more, for the program. The
// toolkit's headers find their own.

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <vector_types.h>
#elif !defined(CUSET_HOST_VECTOR_TYPES_H)
#define CUSET_HOST_VECTOR_TYPES_H
#include <cuset_host/cuda_types.h>
#endif
