// Floats of eight bits, in the forms of the Open Compute Project: those of AMD alone, whose names
// end in _fnuz, are not modelled.
#pragma once

#include <cuda_fp8.h>
#include <hip/hip_runtime_api.h>
