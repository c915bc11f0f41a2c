// What nvcc includes of itself, and program.h has already: nothing more, for the program. The
// toolkit's headers find their own.
#pragma once

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <surface_types.h>
#else
#include <cuset_host/cuda_types.h>
#endif
