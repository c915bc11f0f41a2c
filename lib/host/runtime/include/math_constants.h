// CUDART_INF_F and others: the toolkit's, or the same values in our own words.
#pragma once

#if __has_include_next(<math_constants.h>) && !defined(CUSET_HOST_OWN_TYPES)
#include_next <math_constants.h>
#else
#include <cuset_host/math/math_constants.h>
#endif
