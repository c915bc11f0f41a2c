// cuBLAS's products of triangles and matrices, and solutions.
#include "cuset_host/cuda_types.h"
#include "full_triangle.h"

using namespace cuset_host;

namespace {

/// C may be B.
template <class T>
cublasStatus_t triangle_product(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,
                                cublasOperation_t op, cublasDiagType_t diagonal, std::ptrdiff_t m,
                                std::ptrdiff_t n, const T* alpha_at, const T* a, std::ptrdiff_t lda,
                                const T* b, std::ptrdiff_t ldb, T* c, std::ptrdiff_t ldc) {
    const kept_factor<T> alpha(h, alpha_at);
    const std::ptrdiff_t order = side == CUBLAS_SIDE_LEFT ? m : n;
    const bool is_bad = m < 0 || n < 0 || is_smaller(lda, order) || is_smaller(ldb, m) ||
                        is_smaller(ldc, m) || !is_side(side) || !is_fill(fill) ||
                        !is_operation(op) || !is_diagonal(diagonal) || has_null(alpha_at);
    return run_or_record(h, is_bad, [=] {
        const bool is_zero = *alpha == T(0);  // then neither A nor B is read
        const full_matrix<T> full =
            is_zero ? full_matrix<T>(0, 0) : full_triangle(a, lda, order, fill, diagonal);
        const matrix<const T> t = full.all(), from{b, ldb};
        full_matrix<T> other(m, n);
        for (std::ptrdiff_t j = 0; j < n && !is_zero; ++j)
            for (std::ptrdiff_t i = 0; i < m; ++i) other(i, j) = from(i, j);
        const auto triangle = [&](std::ptrdiff_t i, std::ptrdiff_t j) {
            return taken(t, op, i, j);
        };
        if (side == CUBLAS_SIDE_LEFT)
            combine(m, n, m, *alpha, triangle, other, T(0), matrix<T>{c, ldc});
        else
            combine(m, n, n, *alpha, other, triangle, T(0), matrix<T>{c, ldc});
    });
}

template <class T>
void solve_columns(cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op,
                   cublasDiagType_t diagonal, std::ptrdiff_t m, std::ptrdiff_t n, T alpha,
                   const T* a, std::ptrdiff_t lda, T* b, std::ptrdiff_t ldb) {
    const bool is_left = side == CUBLAS_SIDE_LEFT, is_lower = fill == CUBLAS_FILL_MODE_LOWER;
    const bool has_ones = diagonal == CUBLAS_DIAG_UNIT, transposed = op != CUBLAS_OP_N;
    const matrix<const T> t{a, lda};
    const matrix<T> x{b, ldb};
    for (std::ptrdiff_t j = 0; j < n; ++j)
        for (std::ptrdiff_t i = 0; i < m; ++i) x(i, j) = alpha == T(0) ? T(0) : alpha * x(i, j);
    if (alpha == T(0)) return;
    // X op(A) = B is op(A)' X' = B'.
    if (is_left)
        for (std::ptrdiff_t j = 0; j < n; ++j)
            solve_triangle(t, is_lower, transposed, op == CUBLAS_OP_C, has_ones, m, x.column(j), 1);
    else
        for (std::ptrdiff_t i = 0; i < m; ++i)
            solve_triangle(t, is_lower, !transposed, op == CUBLAS_OP_C, has_ones, n, &x(i, 0), ldb);
}

/// Of a batch: matrix i of `a` is a(i), and so on.
template <class T, class A, class B>
cublasStatus_t triangle_solutions(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,
                                  cublasOperation_t op, cublasDiagType_t diagonal, std::ptrdiff_t m,
                                  std::ptrdiff_t n, const T* alpha_at, const A& a,
                                  std::ptrdiff_t lda, const B& b, std::ptrdiff_t ldb,
                                  std::ptrdiff_t count) {
    const kept_factor<T> alpha(h, alpha_at);
    const bool is_bad = m < 0 || n < 0 || count < 0 ||
                        is_smaller(lda, side == CUBLAS_SIDE_LEFT ? m : n) || is_smaller(ldb, m) ||
                        !is_side(side) || !is_fill(fill) || !is_operation(op) ||
                        !is_diagonal(diagonal) || has_null(alpha_at);
    return run_or_record(h, is_bad, [=] {
        for (std::ptrdiff_t i = 0; i < count; ++i)
            solve_columns(side, fill, op, diagonal, m, n, *alpha, a(i), lda, b(i), ldb);
    });
}

}  // namespace

extern "C" {

#define CUSET_HOST_BLAS(T, letter, Int, end)                                                      \
    cublasStatus_t cublas##letter##trmm_v2##end(                                                  \
        cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op,     \
        cublasDiagType_t diagonal, Int m, Int n, const T* alpha, const T* a, Int lda, const T* b, \
        Int ldb, T* c, Int ldc) {                                                                 \
        return triangle_product(h, side, fill, op, diagonal, m, n, numbers(alpha), numbers(a),    \
                                lda, numbers(b), ldb, numbers(c), ldc);                           \
    }                                                                                             \
    cublasStatus_t cublas##letter##trsm_v2##end(                                                  \
        cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op,     \
        cublasDiagType_t diagonal, Int m, Int n, const T* alpha, const T* a, Int lda, T* b,       \
        Int ldb) {                                                                                \
        return triangle_solutions(h, side, fill, op, diagonal, m, n, numbers(alpha),              \
                                  strided(numbers(a), 0), lda, strided(numbers(b), 0), ldb, 1);   \
    }                                                                                             \
    cublasStatus_t cublas##letter##trsmBatched##end(                                              \
        cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op,     \
        cublasDiagType_t diagonal, Int m, Int n, const T* alpha, const T* const a[], Int lda,     \
        T* const b[], Int ldb, Int count) {                                                       \
        return triangle_solutions(h, side, fill, op, diagonal, m, n, numbers(alpha),              \
                                  listed(lists(a)), lda, listed(lists(b)), ldb, count);           \
    }
CUSET_HOST_CALLS(CUSET_HOST_BLAS)
#undef CUSET_HOST_BLAS

}  // extern "C"
