// CUDA's host types and the declarations of its runtime API: the toolkit's where there is a toolkit
// (the next <cuda_runtime.h> on the path, read as host C++), else our own (minimal_types.h). To be
// included in angle brackets, so that #include_next knows from which folder to go on.
//
// CUSET_HOST_OWN_TYPES: our own all the same; for tests on machines with a toolkit.
//
// The functions are declared as in C; those that the runtime does not define are left to the linker,
// which then names them.
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#if __has_include_next(<cuda_runtime.h>) && !defined(CUSET_HOST_OWN_TYPES)
#define CUSET_HOST_READING_TOOLKIT
#include_next <cuda_runtime.h>
#undef CUSET_HOST_READING_TOOLKIT
#define CUSET_HOST_TOOLKIT 1
#else
#include <cuset_host/minimal_types.h>
#define CUSET_HOST_TOOLKIT 0
#endif

#include <cuset_host/qualifiers.h>

#include <cuset_host/api_templates.h>
