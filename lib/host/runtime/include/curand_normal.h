// A part of the toolkit's curand_kernel.h.
#pragma once

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <curand_normal.h>
#else
#include <curand_kernel.h>
#endif
