// Names of complex numbers and of types of numbers: HIP's, and CUDA's that stand for them. The translation reads this
// table too (translate/hip_names.h): one name a line, and a name of CUDA or a few tokens behind it.
#pragma once

#define HIP_C_16F CUDA_C_16F
#define HIP_C_32F CUDA_C_32F
#define HIP_C_64F CUDA_C_64F
#define HIP_R_16BF CUDA_R_16BF
#define HIP_R_16F CUDA_R_16F
#define HIP_R_32F CUDA_R_32F
#define HIP_R_32I CUDA_R_32I
#define HIP_R_64F CUDA_R_64F
#define HIP_R_8I CUDA_R_8I
#define hipCabs cuCabs
#define hipCabsf cuCabsf
#define hipCadd cuCadd
#define hipCaddf cuCaddf
#define hipCdiv cuCdiv
#define hipCdivf cuCdivf
#define hipCfma cuCfma
#define hipCfmaf cuCfmaf
#define hipCimag cuCimag
#define hipCimagf cuCimagf
#define hipCmul cuCmul
#define hipCmulf cuCmulf
#define hipComplex cuComplex
#define hipComplexDoubleToFloat cuComplexDoubleToFloat
#define hipComplexFloatToDouble cuComplexFloatToDouble
#define hipConj cuConj
#define hipConjf cuConjf
#define hipCreal cuCreal
#define hipCrealf cuCrealf
#define hipCsub cuCsub
#define hipCsubf cuCsubf
#define hipDataType cudaDataType
#define hipDoubleComplex cuDoubleComplex
#define hipFloatComplex cuFloatComplex
#define hipLibraryPropertyType libraryPropertyType
#define make_hipComplex make_cuComplex
#define make_hipDoubleComplex make_cuDoubleComplex
#define make_hipFloatComplex make_cuFloatComplex
