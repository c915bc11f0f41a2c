// The toolkit's cublas.h, read as host C++; the runtime has the common calls (libraries/cublas).

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <cublas.h>
#elif !defined(CUSET_HOST_CUBLAS_H)
#define CUSET_HOST_CUBLAS_H

#include <cuset_host/cuda_types.h>
#include <cuset_host/reading_toolkit.h>
#include_next <cublas.h>
#include <cuset_host/reading_program.h>

#endif
