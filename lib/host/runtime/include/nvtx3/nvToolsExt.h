// The toolkit's nvToolsExt.h, read as host C++, or else the calls that mark ranges: without a
// profiler they do nothing.

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <nvtx3/nvToolsExt.h>
#elif !defined(CUSET_HOST_NVTX3_NVTOOLSEXT_H)
#define CUSET_HOST_NVTX3_NVTOOLSEXT_H

#include <cuset_host/cuda_types.h>

#if __has_include_next(<nvtx3/nvToolsExt.h>)
#include <cuset_host/reading_toolkit.h>
#include_next <nvtx3/nvToolsExt.h>
#include <cuset_host/reading_program.h>
#else
#include <cuset_host/api/nvtx_ranges.h>

#endif

#endif
