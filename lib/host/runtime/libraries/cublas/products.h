// The types of numbers in which cuBLAS multiplies matrices.
#pragma once

#include <cstdint>
#include <string>

#include "cuset_host/faults.h"
#include "handle.h"

namespace cuset_host {

/// One combination of types: of A and B, of C, of sums, and of alpha and beta.
template <class A_, class C_, class S_, class Scale_>
struct product_types {
    using A = A_;
    using C = C_;
    using S = S_;
    using Scale = Scale_;
};

inline bool is_any(cublasComputeType_t compute, std::initializer_list<cublasComputeType_t> list) {
    return std::find(list.begin(), list.end(), compute) != list.end();
}

/// Calls with(product_types<...>()) for what cuBLAS names so. Ends the program where it is not
/// modelled. Half and brain floats are summed in float, for CUBLAS_COMPUTE_16F too.
template <class With>
auto with_product_types(const char* name, cublasComputeType_t compute, cudaDataType scale,
                        cudaDataType a, cudaDataType b, cudaDataType c, const With& with) {
    using half = __half;
    using brain = __nv_bfloat16;
    using byte = signed char;
    using pair = std::complex<float>;
    using wide_pair = std::complex<double>;
    const bool in_float = is_any(
        compute, {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_COMPUTE_32F_FAST_16F,
                  CUBLAS_COMPUTE_32F_FAST_16BF, CUBLAS_COMPUTE_32F_FAST_TF32});
    const bool in_double = is_any(compute, {CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F_PEDANTIC});
    const bool in_half = is_any(compute, {CUBLAS_COMPUTE_16F, CUBLAS_COMPUTE_16F_PEDANTIC});
    const bool in_int = is_any(compute, {CUBLAS_COMPUTE_32I, CUBLAS_COMPUTE_32I_PEDANTIC});
    const auto are = [&](cudaDataType of_a, cudaDataType of_c, cudaDataType of_scale) {
        return a == of_a && b == of_a && c == of_c && scale == of_scale;
    };
    if (in_float) {
        if (are(CUDA_R_32F, CUDA_R_32F, CUDA_R_32F))
            return with(product_types<float, float, float, float>());
        if (are(CUDA_R_16F, CUDA_R_16F, CUDA_R_32F))
            return with(product_types<half, half, float, float>());
        if (are(CUDA_R_16F, CUDA_R_32F, CUDA_R_32F))
            return with(product_types<half, float, float, float>());
        if (are(CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F))
            return with(product_types<brain, brain, float, float>());
        if (are(CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F))
            return with(product_types<brain, float, float, float>());
        if (are(CUDA_R_8I, CUDA_R_32F, CUDA_R_32F))
            return with(product_types<byte, float, float, float>());
        if (are(CUDA_C_32F, CUDA_C_32F, CUDA_C_32F))
            return with(product_types<pair, pair, pair, pair>());
    }
    if (in_double && are(CUDA_R_64F, CUDA_R_64F, CUDA_R_64F))
        return with(product_types<double, double, double, double>());
    if (in_double && are(CUDA_C_64F, CUDA_C_64F, CUDA_C_64F))
        return with(product_types<wide_pair, wide_pair, wide_pair, wide_pair>());
    if (in_half && are(CUDA_R_16F, CUDA_R_16F, CUDA_R_16F))
        return with(product_types<half, half, float, half>());
    if (in_int && are(CUDA_R_8I, CUDA_R_32I, CUDA_R_32I))
        return with(product_types<byte, int, int, int>());
    if (in_int && are(CUDA_R_8I, CUDA_R_8I, CUDA_R_32F))
        return with(product_types<byte, byte, int, float>());
    fail("unsupported", std::string(name) + " of matrices of types " + std::to_string(a) + ", " +
                            std::to_string(b) + " and " + std::to_string(c) + " in compute type " +
                            std::to_string(compute));
}

/// alpha sum + beta c, where c is not read if beta is 0.
template <class C, class S, class Scale>
auto scaled(Scale alpha, S sum, Scale beta, const C* c) {
    const auto a = widened(alpha), b = widened(beta);
    using R = decltype(a * static_cast<decltype(widened(alpha))>(sum));
    R result = static_cast<R>(a) * static_cast<R>(sum);
    if (b != decltype(widened(beta))(0)) result += static_cast<R>(b) * static_cast<R>(widened(*c));
    return result;
}

}  // namespace cuset_host
