// The toolkit's cublas.h, read as host C++; the runtime has the common calls (libraries/cublas).

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <cublas.h>
#elif !defined(CUSET_HOST_CUBLAS_H)
#define CUSET_HOST_CUBLAS_H

#include <cuset_host/cuda_types.h>

#if !__has_include_next(<cublas.h>) || !CUSET_HOST_TOOLKIT
#error "cuset-host: unsupported: <cublas.h> needs the CUDA toolkit's headers"
#endif
#include <cuset_host/reading_toolkit.h>
#include_next <cublas.h>
#include <cuset_host/reading_program.h>

#endif
