// What the programs about libraries of linear algebra share: numbers of all types, as complex ones.
#pragma once

#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <library_types.h>

#include <complex>

#include "check.h"

using number = std::complex<double>;

template <class T>
constexpr bool is_pair = std::is_same_v<T, cuComplex> || std::is_same_v<T, cuDoubleComplex>;
template <class T>
constexpr bool is_float = std::is_same_v<T, float> || std::is_same_v<T, cuComplex>;
template <class T>
constexpr cudaDataType type_of = std::is_same_v<T, float>             ? CUDA_R_32F
                                 : std::is_same_v<T, double>          ? CUDA_R_64F
                                 : std::is_same_v<T, cuComplex>       ? CUDA_C_32F
                                 : std::is_same_v<T, cuDoubleComplex> ? CUDA_C_64F
                                 : std::is_same_v<T, __half>          ? CUDA_R_16F
                                 : std::is_same_v<T, __nv_bfloat16>   ? CUDA_R_16BF
                                 : std::is_same_v<T, signed char>     ? CUDA_R_8I
                                                                      : CUDA_R_32I;

template <class T>
T made(number x) {
    if constexpr (is_pair<T>)
        return T{decltype(T::x)(x.real()), decltype(T::x)(x.imag())};
    else if constexpr (std::is_same_v<T, double>)
        return x.real();
    else
        return T(float(x.real()));
}
template <class T>
number get(const T& x) {
    if constexpr (is_pair<T>)
        return {x.x, x.y};
    else if constexpr (std::is_same_v<T, number> || std::is_same_v<T, double>)
        return x;
    else
        return float(x);
}
template <class T>
void set(T& x, number value) {
    x = made<T>(value);
}
