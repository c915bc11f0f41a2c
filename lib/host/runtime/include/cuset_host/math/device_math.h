// CUDA's device math API, as nvcc gives it without a further #include. The C library's functions
// and C++'s overloads for float are <math.h>'s.
#pragma once

#include <cuset_host/math/bits.h>
#include <cuset_host/math/conversions.h>
#include <cuset_host/math/fast_math.h>
#include <cuset_host/threads/memory_access.h>
#include <cuset_host/math/min_max.h>
#include <cuset_host/math/rounding.h>
#include <cuset_host/math/simd_in_word.h>
#include <cuset_host/math/special_functions.h>
