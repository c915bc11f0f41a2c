// cuBLAS on symmetric and Hermitian matrices and vectors: products, and updates of rank 1 and 2.
// One triangle is read and written: plain, packed or banded.
#include "cuset_host/cuda_types.h"
#include "triangle.h"

using namespace cuset_host;

namespace {

/// y = alpha A x + beta y. The diagonal of a Hermitian matrix counts as real.
template <class T>
cublasStatus_t symmetric_by_vector(cublasHandle_t h, cublasFillMode_t fill,
                                   const triangle<const T>& a, bool is_bad, const T* alpha_at,
                                   const T* x, std::ptrdiff_t step_x, const T* beta_at, T* y,
                                   std::ptrdiff_t step_y, bool hermitian) {
    using W = wide_of<T>;
    const kept_factor<T> alpha(h, alpha_at), beta(h, beta_at);
    const std::ptrdiff_t n = a.order;
    const bool is_wrong = is_bad || n < 0 || step_x == 0 || step_y == 0 || !is_fill(fill) ||
                          has_null(alpha_at, beta_at);
    return run_or_record(h, is_wrong, [=] {
        const T* const from = x + first_of(n, step_x);
        T* const to = y + first_of(n, step_y);
        std::vector<W> sums(static_cast<std::size_t>(n));
        for (std::ptrdiff_t j = 0; j < n && *alpha != T(0); ++j)
            for (std::ptrdiff_t i = a.begin(j); i < a.end(j); ++i) {
                W own(a(i, j));
                if (i == j && hermitian) own = std::real(own);
                sums[static_cast<std::size_t>(i)] += own * W(from[j * step_x]);
                if (i == j) continue;
                if (hermitian) own = conjugate(own);
                sums[static_cast<std::size_t>(j)] += own * W(from[i * step_x]);
            }
        for (std::ptrdiff_t i = 0; i < n; ++i) {
            T& out = to[i * step_y];
            W value = W(*alpha) * sums[static_cast<std::size_t>(i)];
            if (*beta != T(0)) value += W(*beta) * W(out);
            out = static_cast<T>(value);
        }
    });
}

/// Adds alpha x x' to a triangle, or with y, alpha x y' + alpha y x', where the second alpha is
/// conjugated with Hermitian matrices. Their diagonal becomes real.
template <class T, class Factor>
cublasStatus_t add_squares(cublasHandle_t h, cublasFillMode_t fill, const triangle<T>& a,
                           bool is_bad, const Factor* alpha_at, const T* x, std::ptrdiff_t step_x,
                           const T* y, std::ptrdiff_t step_y, bool is_double, bool hermitian) {
    const kept_factor<Factor> alpha(h, alpha_at);
    const std::ptrdiff_t n = a.order;
    const bool is_wrong =
        is_bad || n < 0 || step_x == 0 || step_y == 0 || !is_fill(fill) || has_null(alpha_at);
    return run_or_record(h, is_wrong, [=] {
        if (*alpha == Factor(0)) return;
        const auto turned = [=](T own) { return hermitian ? conjugate(own) : own; };
        const T *const u = x + first_of(n, step_x), *const v = y + first_of(n, step_y);
        for (std::ptrdiff_t j = 0; j < n; ++j) {
            const T right = *alpha * turned(v[j * step_y]);
            const T second = is_double ? turned(T(*alpha) * u[j * step_x]) : T(0);
            for (std::ptrdiff_t i = a.begin(j); i < a.end(j); ++i) {
                T sum = u[i * step_x] * right;
                if (is_double) sum += v[i * step_y] * second;
                a(i, j) += sum;
            }
            if (hermitian) a(j, j) = std::real(a(j, j));
        }
    });
}

}  // namespace

extern "C" {

#define CUSET_HOST_PLAIN(T, R, letter, name, hermitian, Int, end)                                  \
    cublasStatus_t cublas##letter##name##mv_v2##end(                                               \
        cublasHandle_t h, cublasFillMode_t fill, Int n, const T* alpha, const T* a, Int lda,       \
        const T* x, Int step_x, const T* beta, T* y, Int step_y) {                                 \
        return symmetric_by_vector(h, fill, plain_triangle(numbers(a), lda, n, fill),              \
                                   is_smaller(lda, n), numbers(alpha), numbers(x), step_x,         \
                                   numbers(beta), numbers(y), step_y, hermitian);                  \
    }                                                                                              \
    cublasStatus_t cublas##letter##name##r_v2##end(cublasHandle_t h, cublasFillMode_t fill, Int n, \
                                                   const R* alpha, const T* x, Int step, T* a,     \
                                                   Int lda) {                                      \
        return add_squares(h, fill, plain_triangle(numbers(a), lda, n, fill), is_smaller(lda, n),  \
                           numbers(alpha), numbers(x), step, numbers(x), step, false, hermitian);  \
    }                                                                                              \
    cublasStatus_t cublas##letter##name##r2_v2##end(cublasHandle_t h, cublasFillMode_t fill,       \
                                                    Int n, const T* alpha, const T* x, Int step_x, \
                                                    const T* y, Int step_y, T* a, Int lda) {       \
        return add_squares(h, fill, plain_triangle(numbers(a), lda, n, fill), is_smaller(lda, n),  \
                           numbers(alpha), numbers(x), step_x, numbers(y), step_y, true,           \
                           hermitian);                                                             \
    }
#define CUSET_HOST_PACKED(T, R, letter, name, hermitian, Int, end)                                 \
    cublasStatus_t cublas##letter##name##mv_v2##end(cublasHandle_t h, cublasFillMode_t fill,       \
                                                    Int n, const T* alpha, const T* a, const T* x, \
                                                    Int step_x, const T* beta, T* y, Int step_y) { \
        return symmetric_by_vector(h, fill, packed_triangle(numbers(a), n, fill), false,           \
                                   numbers(alpha), numbers(x), step_x, numbers(beta), numbers(y),  \
                                   step_y, hermitian);                                             \
    }                                                                                              \
    cublasStatus_t cublas##letter##name##r_v2##end(cublasHandle_t h, cublasFillMode_t fill, Int n, \
                                                   const R* alpha, const T* x, Int step, T* a) {   \
        return add_squares(h, fill, packed_triangle(numbers(a), n, fill), false, numbers(alpha),   \
                           numbers(x), step, numbers(x), step, false, hermitian);                  \
    }                                                                                              \
    cublasStatus_t cublas##letter##name##r2_v2##end(cublasHandle_t h, cublasFillMode_t fill,       \
                                                    Int n, const T* alpha, const T* x, Int step_x, \
                                                    const T* y, Int step_y, T* a) {                \
        return add_squares(h, fill, packed_triangle(numbers(a), n, fill), false, numbers(alpha),   \
                           numbers(x), step_x, numbers(y), step_y, true, hermitian);               \
    }
#define CUSET_HOST_BANDED(T, letter, name, hermitian, Int, end)                            \
    cublasStatus_t cublas##letter##name##mv_v2##end(                                       \
        cublasHandle_t h, cublasFillMode_t fill, Int n, Int k, const T* alpha, const T* a, \
        Int lda, const T* x, Int step_x, const T* beta, T* y, Int step_y) {                \
        return symmetric_by_vector(h, fill, banded_triangle(numbers(a), lda, n, k, fill),  \
                                   k < 0 || lda <= k, numbers(alpha), numbers(x), step_x,  \
                                   numbers(beta), numbers(y), step_y, hermitian);          \
    }

#define CUSET_HOST_BLAS(T, letter, Int, end)             \
    CUSET_HOST_PLAIN(T, T, letter, sy, false, Int, end)  \
    CUSET_HOST_PACKED(T, T, letter, sp, false, Int, end) \
    CUSET_HOST_BANDED(T, letter, sb, false, Int, end)
CUSET_HOST_REAL_CALLS(CUSET_HOST_BLAS)
#undef CUSET_HOST_BLAS
#define CUSET_HOST_BLAS(T, letter, Int, end) CUSET_HOST_PLAIN(T, T, letter, sy, false, Int, end)
CUSET_HOST_COMPLEX_CALLS(CUSET_HOST_BLAS)
#undef CUSET_HOST_BLAS
#define CUSET_HOST_BLAS(T, R, letter, Int, end)         \
    CUSET_HOST_PLAIN(T, R, letter, he, true, Int, end)  \
    CUSET_HOST_PACKED(T, R, letter, hp, true, Int, end) \
    CUSET_HOST_BANDED(T, letter, hb, true, Int, end)
CUSET_HOST_BLAS(cuComplex, float, C, int, )
CUSET_HOST_BLAS(cuComplex, float, C, int64_t, _64)
CUSET_HOST_BLAS(cuDoubleComplex, double, Z, int, )
CUSET_HOST_BLAS(cuDoubleComplex, double, Z, int64_t, _64)
#undef CUSET_HOST_BLAS
#undef CUSET_HOST_PLAIN
#undef CUSET_HOST_PACKED
#undef CUSET_HOST_BANDED

}  // extern "C"
