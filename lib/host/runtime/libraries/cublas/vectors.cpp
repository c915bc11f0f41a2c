// cuBLAS on vectors: those calls of level 1 that write vectors, but for rotations.
#include "vectors.h"

#include "cuset_host/cuda_types.h"

using namespace cuset_host;

namespace {

template <class T, class Factor>
cublasStatus_t add_scaled(cublasHandle_t h, std::ptrdiff_t n, const Factor* alpha, const T* x,
                          std::ptrdiff_t step_x, T* y, std::ptrdiff_t step_y) {
    const kept_factor factor(h, alpha);
    return each(h, n, step_x, step_y, [=](std::ptrdiff_t i, std::ptrdiff_t j) {
        y[j] = narrowed<T>(widened(y[j]) + widened(*factor) * widened(x[i]));
    });
}

template <class T, class Factor>
cublasStatus_t scale(cublasHandle_t h, std::ptrdiff_t n, const Factor* alpha, T* x,
                     std::ptrdiff_t step) {
    const kept_factor factor(h, alpha);
    return each(h, step > 0 ? n : 0, step, 1, [=](std::ptrdiff_t i, std::ptrdiff_t) {
        x[i] = narrowed<T>(widened(x[i]) * widened(*factor));
    });
}

template <class T>
cublasStatus_t copy(cublasHandle_t h, std::ptrdiff_t n, const T* x, std::ptrdiff_t step_x, T* y,
                    std::ptrdiff_t step_y) {
    return each(h, n, step_x, step_y, [=](std::ptrdiff_t i, std::ptrdiff_t j) { y[j] = x[i]; });
}

template <class T>
cublasStatus_t exchange(cublasHandle_t h, std::ptrdiff_t n, T* x, std::ptrdiff_t step_x, T* y,
                        std::ptrdiff_t step_y) {
    return each(h, n, step_x, step_y,
                [=](std::ptrdiff_t i, std::ptrdiff_t j) { std::swap(x[i], y[j]); });
}

}  // namespace

extern "C" {

#define CUSET_HOST_BLAS(T, letter, Int, end)                                                     \
    cublasStatus_t cublas##letter##axpy_v2##end(cublasHandle_t h, Int n, const T* alpha,         \
                                                const T* x, Int step_x, T* y, Int step_y) {      \
        return add_scaled(h, n, numbers(alpha), numbers(x), step_x, numbers(y), step_y);         \
    }                                                                                            \
    cublasStatus_t cublas##letter##scal_v2##end(cublasHandle_t h, Int n, const T* alpha, T* x,   \
                                                Int step) {                                      \
        return scale(h, n, numbers(alpha), numbers(x), step);                                    \
    }                                                                                            \
    cublasStatus_t cublas##letter##copy_v2##end(cublasHandle_t h, Int n, const T* x, Int step_x, \
                                                T* y, Int step_y) {                              \
        return copy(h, n, numbers(x), step_x, numbers(y), step_y);                               \
    }                                                                                            \
    cublasStatus_t cublas##letter##swap_v2##end(cublasHandle_t h, Int n, T* x, Int step_x, T* y, \
                                                Int step_y) {                                    \
        return exchange(h, n, numbers(x), step_x, numbers(y), step_y);                           \
    }
CUSET_HOST_CALLS(CUSET_HOST_BLAS)
#undef CUSET_HOST_BLAS

#define CUSET_HOST_BLAS(T, R, name, Int, end)                                            \
    cublasStatus_t cublas##name##_v2##end(cublasHandle_t h, Int n, const R* alpha, T* x, \
                                          Int step) {                                    \
        return scale(h, n, alpha, numbers(x), step);                                     \
    }
CUSET_HOST_BLAS(cuComplex, float, Csscal, int, )
CUSET_HOST_BLAS(cuComplex, float, Csscal, int64_t, _64)
CUSET_HOST_BLAS(cuDoubleComplex, double, Zdscal, int, )
CUSET_HOST_BLAS(cuDoubleComplex, double, Zdscal, int64_t, _64)
#undef CUSET_HOST_BLAS

// Half and brain floats have factors of float, and are computed in float.
#define CUSET_HOST_BLAS(Int, end)                                                                 \
    cublasStatus_t cublasAxpyEx##end(cublasHandle_t h, Int n, const void* alpha,                  \
                                     cudaDataType type_alpha, const void* x, cudaDataType type_x, \
                                     Int step_x, void* y, cudaDataType type_y, Int step_y,        \
                                     cudaDataType computed_in) {                                  \
        const bool fit =                                                                          \
            type_x == type_y && type_alpha == factors_of(type_x) && computed_in == type_alpha;    \
        return with_numbers("cublasAxpyEx", type_x, fit, [&](auto number) {                       \
            using T = decltype(number);                                                           \
            return add_scaled(h, n, static_cast<const computed<T>*>(alpha),                       \
                              static_cast<const T*>(x), step_x, static_cast<T*>(y), step_y);      \
        });                                                                                       \
    }                                                                                             \
    cublasStatus_t cublasScalEx##end(cublasHandle_t h, Int n, const void* alpha,                  \
                                     cudaDataType type_alpha, void* x, cudaDataType type_x,       \
                                     Int step, cudaDataType computed_in) {                        \
        const bool fit = type_alpha == factors_of(type_x) && computed_in == type_alpha;           \
        return with_numbers("cublasScalEx", type_x, fit, [&](auto number) {                       \
            using T = decltype(number);                                                           \
            return scale(h, n, static_cast<const computed<T>*>(alpha), static_cast<T*>(x), step); \
        });                                                                                       \
    }                                                                                             \
    cublasStatus_t cublasCopyEx##end(cublasHandle_t h, Int n, const void* x, cudaDataType type_x, \
                                     Int step_x, void* y, cudaDataType type_y, Int step_y) {      \
        return with_numbers("cublasCopyEx", type_x, type_x == type_y, [&](auto number) {          \
            using T = decltype(number);                                                           \
            return copy(h, n, static_cast<const T*>(x), step_x, static_cast<T*>(y), step_y);      \
        });                                                                                       \
    }                                                                                             \
    cublasStatus_t cublasSwapEx##end(cublasHandle_t h, Int n, void* x, cudaDataType type_x,       \
                                     Int step_x, void* y, cudaDataType type_y, Int step_y) {      \
        return with_numbers("cublasSwapEx", type_x, type_x == type_y, [&](auto number) {          \
            using T = decltype(number);                                                           \
            return exchange(h, n, static_cast<T*>(x), step_x, static_cast<T*>(y), step_y);        \
        });                                                                                       \
    }
CUSET_HOST_BLAS(int, )
CUSET_HOST_BLAS(int64_t, _64)
#undef CUSET_HOST_BLAS

}  // extern "C"
