// What hipcc defines before the first line of a program, for a GPU of AMD. The translation gives
// __HIP_DEVICE_COMPILE__ to device code alone, and takes nvcc's own macros away.
#pragma once

#define __HIP__ 1
#define __HIPCC__ 1
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_PLATFORM_HCC__ 1
#define __AMDGCN_WAVEFRONT_SIZE 32
#define __AMDGCN_WAVEFRONT_SIZE__ 32
