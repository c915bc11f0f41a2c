// The toolkit's cusolverDn.h, read as host C++; the runtime has its dense part
// (libraries/cusolver).

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <cusolverDn.h>
#elif !defined(CUSET_HOST_CUSOLVERDN_H)
#define CUSET_HOST_CUSOLVERDN_H

#include <cuset_host/cuda_types.h>
#include <cuset_host/reading_toolkit.h>
#include_next <cusolverDn.h>
#include <cuset_host/reading_program.h>

#endif
