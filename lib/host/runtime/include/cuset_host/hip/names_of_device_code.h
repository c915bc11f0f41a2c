// Names of what runs on the device: HIP's, and CUDA's that stand for them. The translation reads
// this table too (translate/hip_names.h): one name a line, and a few tokens behind it.
#pragma once

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
#define unsafeAtomicAdd atomicAdd
#define safeAtomicAdd atomicAdd
#define wall_clock64 clock64
#define __hip_bfloat16 __nv_bfloat16
#define __hip_bfloat162 __nv_bfloat162
#define __hip_bfloat16_raw __nv_bfloat16_raw
#define __hip_bfloat162_raw __nv_bfloat162_raw
