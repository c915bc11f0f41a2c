// Complex numbers.
#pragma once

#include <cuComplex.h>
#include <hip/hip_runtime_api.h>

inline float hipCsqabsf(cuFloatComplex z) { return z.x * z.x + z.y * z.y; }
inline double hipCsqabs(cuDoubleComplex z) { return z.x * z.x + z.y * z.y; }
