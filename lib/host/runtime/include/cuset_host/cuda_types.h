// CUDA's host types and the declarations of its runtime API: CUDA's own headers (the next
// <cuda_runtime.h> on the path), read as host C++. Include this file in angle brackets, so that
// #include_next knows from which folder to continue.
//
// The functions are declared as in C. If the runtime does not define one, the linker names it.
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

#define CUSET_HOST_READING_TOOLKIT
#include_next <cuda_runtime.h>
#undef CUSET_HOST_READING_TOOLKIT

// Thrust on this processor, where its algorithms are plain loops.
#define THRUST_HOST_SYSTEM 1
#define THRUST_DEVICE_SYSTEM 4

#include <cuset_host/qualifiers.h>

#include <cuset_host/api/api_templates.h>
