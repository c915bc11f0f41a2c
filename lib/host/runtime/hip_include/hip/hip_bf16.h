// Brain floats.
#pragma once

#include <cuda_bf16.h>
#include <hip/hip_runtime_api.h>
