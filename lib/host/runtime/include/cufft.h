// The toolkit's cufft.h, read as host C++; the runtime has its transforms (libraries/cufft.cpp).

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <cufft.h>
#elif !defined(CUSET_HOST_CUFFT_H)
#define CUSET_HOST_CUFFT_H

#include <cuset_host/cuda_types.h>
#include <cuset_host/reading_toolkit.h>
#include_next <cufft.h>
#include <cuset_host/reading_program.h>

#endif
