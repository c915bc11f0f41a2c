// cuBLAS's calls of level 1 that make one number of vectors: products, norms, sums and extremes.
#include "cuset_host/cuda_types.h"
#include "vectors.h"

using namespace cuset_host;

namespace {

/// Gives finish(sum of body(place in x, place in y)) as the result, of no elements 0. A graph can
/// only make a result that is the device's.
template <class W, class Result, class Body, class Finish>
cublasStatus_t total(cublasHandle_t h, std::ptrdiff_t n, std::ptrdiff_t step_x,
                     std::ptrdiff_t step_y, Result* result, const Body& body,
                     const Finish& finish) {
    const auto work = [=] {
        W sum = 0;
        walk(n, step_x, step_y, [&](std::ptrdiff_t i, std::ptrdiff_t j) { sum += body(i, j); });
        *result = narrowed<Result>(finish(sum));
    };
    const bool is_on_device = h != nullptr && h->pointers == CUBLAS_POINTER_MODE_DEVICE;
    return is_on_device ? run_or_record(h, result == nullptr, work)
                        : run(h, result == nullptr, work);
}

template <class T>
cublasStatus_t dot(cublasHandle_t h, std::ptrdiff_t n, const T* x, std::ptrdiff_t step_x,
                   const T* y, std::ptrdiff_t step_y, T* result, bool conjugated) {
    using W = wide_of<T>;
    return total<W>(
        h, n, step_x, step_y, result,
        [=](std::ptrdiff_t i, std::ptrdiff_t j) {
            return W(widened(conjugated ? conjugate(x[i]) : x[i])) * W(widened(y[j]));
        },
        [](const W& sum) { return sum; });
}

/// The squares of large and small numbers need a wider range.
template <class T>
cublasStatus_t norm(cublasHandle_t h, std::ptrdiff_t n, const T* x, std::ptrdiff_t step,
                    real_of<T>* result) {
    using W = long double;
    return total<W>(
        h, step > 0 ? n : 0, step, 1, result,
        [=](std::ptrdiff_t i, std::ptrdiff_t) {
            const W real = std::real(widened(x[i])), imaginary = std::imag(widened(x[i]));
            return real * real + imaginary * imaginary;
        },
        [](W sum) { return std::sqrt(sum); });
}

template <class T>
auto magnitude(const T& x) {
    return std::abs(std::real(widened(x))) + std::abs(std::imag(widened(x)));
}

template <class T>
cublasStatus_t sum_of_magnitudes(cublasHandle_t h, std::ptrdiff_t n, const T* x,
                                 std::ptrdiff_t step, real_of<T>* result) {
    return total<double>(
        h, step > 0 ? n : 0, step, 1, result,
        [=](std::ptrdiff_t i, std::ptrdiff_t) { return static_cast<double>(magnitude(x[i])); },
        [](double sum) { return sum; });
}

/// The place, from 1, of the first element of the largest or smallest magnitude; of none, 0.
template <class T, class Int>
cublasStatus_t extreme(cublasHandle_t h, std::ptrdiff_t n, const T* x, std::ptrdiff_t step,
                       Int* result, bool largest) {
    const auto work = [=] {
        std::ptrdiff_t best = 0;
        decltype(magnitude(*x)) found = 0;
        for (std::ptrdiff_t i = 0; i < n && step > 0; ++i) {
            const auto own = magnitude(x[i * step]);
            if (i == 0 || (largest ? own > found : own < found)) found = own, best = i + 1;
        }
        *result = static_cast<Int>(best);
    };
    const bool is_on_device = h != nullptr && h->pointers == CUBLAS_POINTER_MODE_DEVICE;
    return is_on_device ? run_or_record(h, result == nullptr, work)
                        : run(h, result == nullptr, work);
}

/// cublasDotEx and cublasDotcEx.
cublasStatus_t dot_of_type(const char* name, cublasHandle_t h, std::ptrdiff_t n, const void* x,
                           cudaDataType type_x, std::ptrdiff_t step_x, const void* y,
                           cudaDataType type_y, std::ptrdiff_t step_y, void* result,
                           cudaDataType type_result, cudaDataType computed_in, bool conjugated) {
    const bool fit = type_x == type_y && type_x == type_result && computed_in == factors_of(type_x);
    return with_numbers(name, type_x, fit, [&](auto number) {
        using T = decltype(number);
        return dot(h, n, static_cast<const T*>(x), step_x, static_cast<const T*>(y), step_y,
                   static_cast<T*>(result), conjugated);
    });
}
bool fit_real(cudaDataType x, cudaDataType result, cudaDataType computed_in) {
    return result == real_part_of(x) &&
           (computed_in == factors_of(x) || computed_in == factors_of(result));
}

}  // namespace

extern "C" {

// Results that are real: the names begin with both types.
#define CUSET_HOST_BLAS(T, R, both, small, Int, end)                                           \
    cublasStatus_t cublas##both##nrm2_v2##end(cublasHandle_t h, Int n, const T* x, Int step,   \
                                              R* result) {                                     \
        return norm(h, n, numbers(x), step, result);                                           \
    }                                                                                          \
    cublasStatus_t cublas##both##asum_v2##end(cublasHandle_t h, Int n, const T* x, Int step,   \
                                              R* result) {                                     \
        return sum_of_magnitudes(h, n, numbers(x), step, result);                              \
    }                                                                                          \
    cublasStatus_t cublasI##small##amax_v2##end(cublasHandle_t h, Int n, const T* x, Int step, \
                                                Int* result) {                                 \
        return extreme(h, n, numbers(x), step, result, true);                                  \
    }                                                                                          \
    cublasStatus_t cublasI##small##amin_v2##end(cublasHandle_t h, Int n, const T* x, Int step, \
                                                Int* result) {                                 \
        return extreme(h, n, numbers(x), step, result, false);                                 \
    }
CUSET_HOST_BLAS(float, float, S, s, int, )
CUSET_HOST_BLAS(float, float, S, s, int64_t, _64)
CUSET_HOST_BLAS(double, double, D, d, int, )
CUSET_HOST_BLAS(double, double, D, d, int64_t, _64)
CUSET_HOST_BLAS(cuComplex, float, Sc, c, int, )
CUSET_HOST_BLAS(cuComplex, float, Sc, c, int64_t, _64)
CUSET_HOST_BLAS(cuDoubleComplex, double, Dz, z, int, )
CUSET_HOST_BLAS(cuDoubleComplex, double, Dz, z, int64_t, _64)
#undef CUSET_HOST_BLAS

#define CUSET_HOST_BLAS(T, name, conjugated, Int, end)                                         \
    cublasStatus_t cublas##name##_v2##end(cublasHandle_t h, Int n, const T* x, Int step_x,     \
                                          const T* y, Int step_y, T* result) {                 \
        return dot(h, n, numbers(x), step_x, numbers(y), step_y, numbers(result), conjugated); \
    }
#define CUSET_HOST_BOTH(T, name, conjugated)    \
    CUSET_HOST_BLAS(T, name, conjugated, int, ) \
    CUSET_HOST_BLAS(T, name, conjugated, int64_t, _64)
CUSET_HOST_BOTH(float, Sdot, false)
CUSET_HOST_BOTH(double, Ddot, false)
CUSET_HOST_BOTH(cuComplex, Cdotu, false)
CUSET_HOST_BOTH(cuComplex, Cdotc, true)
CUSET_HOST_BOTH(cuDoubleComplex, Zdotu, false)
CUSET_HOST_BOTH(cuDoubleComplex, Zdotc, true)
#undef CUSET_HOST_BOTH
#undef CUSET_HOST_BLAS

#define CUSET_HOST_BLAS(Int, end)                                                                  \
    cublasStatus_t cublasDotEx##end(cublasHandle_t h, Int n, const void* x, cudaDataType type_x,   \
                                    Int step_x, const void* y, cudaDataType type_y, Int step_y,    \
                                    void* result, cudaDataType type_result,                        \
                                    cudaDataType computed_in) {                                    \
        return dot_of_type("cublasDotEx", h, n, x, type_x, step_x, y, type_y, step_y, result,      \
                           type_result, computed_in, false);                                       \
    }                                                                                              \
    cublasStatus_t cublasDotcEx##end(cublasHandle_t h, Int n, const void* x, cudaDataType type_x,  \
                                     Int step_x, const void* y, cudaDataType type_y, Int step_y,   \
                                     void* result, cudaDataType type_result,                       \
                                     cudaDataType computed_in) {                                   \
        return dot_of_type("cublasDotcEx", h, n, x, type_x, step_x, y, type_y, step_y, result,     \
                           type_result, computed_in, true);                                        \
    }                                                                                              \
    cublasStatus_t cublasNrm2Ex##end(cublasHandle_t h, Int n, const void* x, cudaDataType type_x,  \
                                     Int step, void* result, cudaDataType type_result,             \
                                     cudaDataType computed_in) {                                   \
        const bool fit = fit_real(type_x, type_result, computed_in);                               \
        return with_numbers("cublasNrm2Ex", type_x, fit, [&](auto number) {                        \
            using T = decltype(number);                                                            \
            return norm(h, n, static_cast<const T*>(x), step, static_cast<real_of<T>*>(result));   \
        });                                                                                        \
    }                                                                                              \
    cublasStatus_t cublasAsumEx##end(cublasHandle_t h, Int n, const void* x, cudaDataType type_x,  \
                                     Int step, void* result, cudaDataType type_result,             \
                                     cudaDataType computed_in) {                                   \
        const bool fit = fit_real(type_x, type_result, computed_in);                               \
        return with_numbers("cublasAsumEx", type_x, fit, [&](auto number) {                        \
            using T = decltype(number);                                                            \
            return sum_of_magnitudes(h, n, static_cast<const T*>(x), step,                         \
                                     static_cast<real_of<T>*>(result));                            \
        });                                                                                        \
    }                                                                                              \
    cublasStatus_t cublasIamaxEx##end(cublasHandle_t h, Int n, const void* x, cudaDataType type_x, \
                                      Int step, Int* result) {                                     \
        return with_numbers("cublasIamaxEx", type_x, true, [&](auto number) {                      \
            return extreme(h, n, static_cast<const decltype(number)*>(x), step, result, true);     \
        });                                                                                        \
    }                                                                                              \
    cublasStatus_t cublasIaminEx##end(cublasHandle_t h, Int n, const void* x, cudaDataType type_x, \
                                      Int step, Int* result) {                                     \
        return with_numbers("cublasIaminEx", type_x, true, [&](auto number) {                      \
            return extreme(h, n, static_cast<const decltype(number)*>(x), step, result, false);    \
        });                                                                                        \
    }
CUSET_HOST_BLAS(int, )
CUSET_HOST_BLAS(int64_t, _64)
#undef CUSET_HOST_BLAS

}  // extern "C"
