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
#define __hip_fp8_e4m3 __nv_fp8_e4m3
#define __hip_fp8_e5m2 __nv_fp8_e5m2
#define __hip_fp8x2_e4m3 __nv_fp8x2_e4m3
#define __hip_fp8x2_e5m2 __nv_fp8x2_e5m2
#define __hip_fp8x4_e4m3 __nv_fp8x4_e4m3
#define __hip_fp8x4_e5m2 __nv_fp8x4_e5m2
#define __hip_fp8_storage_t __nv_fp8_storage_t
#define __hip_fp8x2_storage_t __nv_fp8x2_storage_t
#define __hip_fp8x4_storage_t __nv_fp8x4_storage_t
#define __hip_saturation_t __nv_saturation_t
#define __hip_fp8_interpretation_t __nv_fp8_interpretation_t
#define __hip_cvt_float_to_fp8 __nv_cvt_float_to_fp8
#define __hip_cvt_float2_to_fp8x2 __nv_cvt_float2_to_fp8x2
#define __hip_cvt_double_to_fp8 __nv_cvt_double_to_fp8
#define __hip_cvt_double2_to_fp8x2 __nv_cvt_double2_to_fp8x2
#define __hip_cvt_halfraw_to_fp8 __nv_cvt_halfraw_to_fp8
#define __hip_cvt_halfraw2_to_fp8x2 __nv_cvt_halfraw2_to_fp8x2
#define __hip_cvt_bfloat16raw_to_fp8 __nv_cvt_bfloat16raw_to_fp8
#define __hip_cvt_bfloat16raw2_to_fp8x2 __nv_cvt_bfloat16raw2_to_fp8x2
#define __hip_cvt_fp8_to_halfraw __nv_cvt_fp8_to_halfraw
#define __hip_cvt_fp8x2_to_halfraw2 __nv_cvt_fp8x2_to_halfraw2
#define __HIP_NOSAT __NV_NOSAT
#define __HIP_SATFINITE __NV_SATFINITE
#define __HIP_E4M3 __NV_E4M3
#define __HIP_E5M2 __NV_E5M2
