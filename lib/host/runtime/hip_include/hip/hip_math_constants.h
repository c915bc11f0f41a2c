// Constants of numbers.
#pragma once

#include <math_constants.h>

#define HIP_INF_F CUDART_INF_F
#define HIP_NAN_F CUDART_NAN_F
#define HIP_PI_F CUDART_PI_F
#define HIP_INF CUDART_INF
#define HIP_NAN CUDART_NAN
#define HIP_PI CUDART_PI
