// What the parts of cuBLAS share: the handle, and numbers of all types. Read after the toolkit's
// headers.
#pragma once

#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <type_traits>

#include "cuset_host/library_work.h"

struct cublasContext {
    cudaStream_t stream = nullptr;
    cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
    cublasMath_t math = CUBLAS_DEFAULT_MATH;
    cublasAtomicsMode_t atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
};

namespace cuset_host {

inline float to_float(float x) { return x; }
inline double to_float(double x) { return x; }
inline float to_float(__half x) { return __half2float(x); }
inline float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }
template <class T, class S>
T from_float(S x) {
    if constexpr (std::is_same_v<T, __half>)
        return __float2half(static_cast<float>(x));
    else if constexpr (std::is_same_v<T, __nv_bfloat16>)
        return __float2bfloat16(static_cast<float>(x));
    else
        return static_cast<T>(x);
}

}  // namespace cuset_host
