// The toolkit's cufft.h, read as host C++; the runtime has its transforms (libraries/cufft.cpp).

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <cufft.h>
#elif !defined(CUSET_HOST_CUFFT_H)
#define CUSET_HOST_CUFFT_H

#include <cuset_host/cuda_types.h>

#if !__has_include_next(<cufft.h>) || !CUSET_HOST_TOOLKIT
#error "cuset-host: unsupported: <cufft.h> needs the CUDA toolkit's headers"
#endif
#include <cuset_host/reading_toolkit.h>
#include_next <cufft.h>
#include <cuset_host/reading_program.h>

#endif
