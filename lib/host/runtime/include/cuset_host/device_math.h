// CUDA's device math API, as nvcc gives it without a further #include. The C library's functions
// and C++'s overloads for float are <math.h>'s.
#pragma once

#include <cuset_host/bits.h>
#include <cuset_host/conversions.h>
#include <cuset_host/fast_math.h>
#include <cuset_host/memory_access.h>
#include <cuset_host/min_max.h>
#include <cuset_host/rounding.h>
#include <cuset_host/simd_in_word.h>
#include <cuset_host/special_functions.h>
