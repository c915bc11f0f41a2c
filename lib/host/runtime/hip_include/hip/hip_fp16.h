// Half precision.
#pragma once

#include <cuda_fp16.h>
#include <hip/hip_runtime_api.h>
