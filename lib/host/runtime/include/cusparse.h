// The toolkit's cusparse.h, read as host C++; the runtime has the generic calls and those of the
// older ones that are left (libraries/cusparse).

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <cusparse.h>
#elif !defined(CUSET_HOST_CUSPARSE_H)
#define CUSET_HOST_CUSPARSE_H

#include <cuset_host/cuda_types.h>
#include <cuset_host/reading_toolkit.h>
#include_next <cusparse.h>
#include <cuset_host/reading_program.h>
#if CUSPARSE_VERSION < 12500
#error "cuset-host: unsupported: <cusparse.h> of a toolkit before CUDA 12.5"
#endif

#endif
