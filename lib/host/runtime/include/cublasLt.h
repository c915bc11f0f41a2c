// The toolkit's cublasLt.h, read as host C++; the runtime has its products (libraries/cublas).

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <cublasLt.h>
#elif !defined(CUSET_HOST_CUBLASLT_H)
#define CUSET_HOST_CUBLASLT_H

#include <cuset_host/cuda_types.h>
#include <cuset_host/reading_toolkit.h>
#include_next <cublasLt.h>
#include <cuset_host/reading_program.h>

#endif
