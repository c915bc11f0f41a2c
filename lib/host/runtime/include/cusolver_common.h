// The toolkit's cusolver_common.h, read as host C++; the runtime has its dense part
// (libraries/cusolver).

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <cusolver_common.h>
#elif !defined(CUSET_HOST_CUSOLVER_COMMON_H)
#define CUSET_HOST_CUSOLVER_COMMON_H

#include <cuset_host/cuda_types.h>
#include <cuset_host/reading_toolkit.h>
#include_next <cusolver_common.h>
#include <cuset_host/reading_program.h>

#endif
