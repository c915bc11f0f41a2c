// cuBLAS's calls that make each number of a matrix of a few: sums of matrices, products with
// diagonal ones, and triangles that are packed and unpacked.
#include "cuset_host/cuda_types.h"
#include "triangle.h"

using namespace cuset_host;

namespace {

/// C may be A or B where that is not transposed.
template <class T>
cublasStatus_t add_matrices(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,
                            std::ptrdiff_t m, std::ptrdiff_t n, const T* alpha_at, const T* a,
                            std::ptrdiff_t lda, const T* beta_at, const T* b, std::ptrdiff_t ldb,
                            T* c, std::ptrdiff_t ldc) {
    const bool turns_a = ta != CUBLAS_OP_N, turns_b = tb != CUBLAS_OP_N;
    const bool is_bad = m < 0 || n < 0 || is_smaller(lda, turns_a ? n : m) ||
                        is_smaller(ldb, turns_b ? n : m) || is_smaller(ldc, m) ||
                        (c == a && (turns_a || lda != ldc)) ||
                        (c == b && (turns_b || ldb != ldc)) || !is_operation(ta) ||
                        !is_operation(tb) || has_null(alpha_at, beta_at);
    const kept_factor<T> alpha(h, alpha_at), beta(h, beta_at);
    return run_or_record(h, is_bad, [=] {
        const matrix<const T> left{a, lda}, right{b, ldb};
        const matrix<T> to{c, ldc};
        for (std::ptrdiff_t j = 0; j < n; ++j)
            for (std::ptrdiff_t i = 0; i < m; ++i) {
                T sum = 0;
                if (*alpha != T(0)) sum += *alpha * taken(left, ta, i, j);
                if (*beta != T(0)) sum += *beta * taken(right, tb, i, j);
                to(i, j) = sum;
            }
    });
}

template <class T>
cublasStatus_t times_diagonal(cublasHandle_t h, cublasSideMode_t side, std::ptrdiff_t m,
                              std::ptrdiff_t n, const T* a, std::ptrdiff_t lda, const T* x,
                              std::ptrdiff_t step, T* c, std::ptrdiff_t ldc) {
    const bool is_bad =
        m < 0 || n < 0 || is_smaller(lda, m) || is_smaller(ldc, m) || !is_side(side);
    return run_or_record(h, is_bad, [=] {
        const bool is_left = side == CUBLAS_SIDE_LEFT;
        const T* const d = x + first_of(is_left ? m : n, step);
        const matrix<const T> from{a, lda};
        const matrix<T> to{c, ldc};
        for (std::ptrdiff_t j = 0; j < n; ++j)
            for (std::ptrdiff_t i = 0; i < m; ++i)
                to(i, j) = from(i, j) * d[(is_left ? i : j) * step];
    });
}

/// Copies one triangle of n rows to another, of the same side.
template <class T>
cublasStatus_t copy_triangle(cublasHandle_t h, bool is_bad, cublasFillMode_t fill,
                             const triangle<const T>& from, const triangle<T>& to) {
    return run_or_record(h, is_bad || from.order < 0 || !is_fill(fill), [=] {
        for (std::ptrdiff_t j = 0; j < from.order; ++j)
            for (std::ptrdiff_t i = from.begin(j); i < from.end(j); ++i) to(i, j) = from(i, j);
    });
}

}  // namespace

extern "C" {

#define CUSET_HOST_BLAS(T, letter, Int, end)                                                      \
    cublasStatus_t cublas##letter##geam##end(                                                     \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, Int m, Int n,               \
        const T* alpha, const T* a, Int lda, const T* beta, const T* b, Int ldb, T* c, Int ldc) { \
        return add_matrices(h, ta, tb, m, n, numbers(alpha), numbers(a), lda, numbers(beta),      \
                            numbers(b), ldb, numbers(c), ldc);                                    \
    }                                                                                             \
    cublasStatus_t cublas##letter##dgmm##end(cublasHandle_t h, cublasSideMode_t side, Int m,      \
                                             Int n, const T* a, Int lda, const T* x, Int step,    \
                                             T* c, Int ldc) {                                     \
        return times_diagonal(h, side, m, n, numbers(a), lda, numbers(x), step, numbers(c), ldc); \
    }
CUSET_HOST_CALLS(CUSET_HOST_BLAS)
#undef CUSET_HOST_BLAS

#define CUSET_HOST_BLAS(T, letter)                                                          \
    cublasStatus_t cublas##letter##tpttr(cublasHandle_t h, cublasFillMode_t fill, int n,    \
                                         const T* packed, T* a, int lda) {                  \
        return copy_triangle(h, is_smaller(lda, n), fill, packed_triangle(packed, n, fill), \
                             plain_triangle(a, lda, n, fill));                              \
    }                                                                                       \
    cublasStatus_t cublas##letter##trttp(cublasHandle_t h, cublasFillMode_t fill, int n,    \
                                         const T* a, int lda, T* packed) {                  \
        return copy_triangle(h, is_smaller(lda, n), fill, plain_triangle(a, lda, n, fill),  \
                             packed_triangle(packed, n, fill));                             \
    }
CUSET_HOST_BLAS(float, S)
CUSET_HOST_BLAS(double, D)
CUSET_HOST_BLAS(cuComplex, C)
CUSET_HOST_BLAS(cuDoubleComplex, Z)
#undef CUSET_HOST_BLAS

}  // extern "C"
