// All of HIP's runtime, and what runs on its device.
#pragma once

#include <hip/hip_runtime_api.h>
#include <hip/hip_vector_types.h>
#include <cuset_host/hip/warp.h>
