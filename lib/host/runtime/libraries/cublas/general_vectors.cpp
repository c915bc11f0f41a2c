// cuBLAS's products of general and banded matrices and vectors, alone and in batches, and updates
// of rank 1.
#include "cuset_host/cuda_types.h"
#include "handle.h"

using namespace cuset_host;

namespace {

/// y = alpha op(A) x + beta y for m x n numbers of A, of which column j has those of rows(j).
template <class T, class Y, class Factor, class Element, class Rows>
void multiply_vector(cublasOperation_t op, std::ptrdiff_t m, std::ptrdiff_t n, Factor alpha,
                     const Element& a, const Rows& rows, const T* x, std::ptrdiff_t step_x,
                     Factor beta, Y* y, std::ptrdiff_t step_y) {
    using W = wide_of<T>;
    const std::ptrdiff_t made = op == CUBLAS_OP_N ? m : n, read = op == CUBLAS_OP_N ? n : m;
    const T* const in = x + first_of(read, step_x);
    Y* const out = y + first_of(made, step_y);
    std::vector<W> sums(static_cast<std::size_t>(made));
    for (std::ptrdiff_t j = 0; j < n && alpha != Factor(0); ++j) {
        const auto [begin, end] = rows(j);
        for (std::ptrdiff_t i = begin; i < end; ++i) {
            const T own = op == CUBLAS_OP_C ? conjugate(a(i, j)) : a(i, j);
            const std::ptrdiff_t to = op == CUBLAS_OP_N ? i : j, from = i + j - to;
            sums[static_cast<std::size_t>(to)] += W(widened(own)) * W(widened(in[from * step_x]));
        }
    }
    for (std::ptrdiff_t i = 0; i < made; ++i) {
        Y& to = out[i * step_y];
        W value = W(alpha) * sums[static_cast<std::size_t>(i)];
        if (beta != Factor(0)) value += W(beta) * W(widened(to));
        to = narrowed<Y>(value);
    }
}

/// The products of a batch: matrix i is a(i), and so on.
template <class Factor, class A, class X, class Y>
cublasStatus_t times_vectors(cublasHandle_t h, cublasOperation_t op, std::ptrdiff_t m,
                             std::ptrdiff_t n, const Factor* alpha_at, const A& a,
                             std::ptrdiff_t lda, const X& x, std::ptrdiff_t step_x,
                             const Factor* beta_at, const Y& y, std::ptrdiff_t step_y,
                             std::ptrdiff_t count) {
    const kept_factor<Factor> alpha(h, alpha_at), beta(h, beta_at);
    const bool is_bad = m < 0 || n < 0 || is_smaller(lda, m) || step_x == 0 || step_y == 0 ||
                        count < 0 || !is_operation(op) || has_null(alpha_at, beta_at);
    return run_or_record(h, is_bad, [=] {
        for (std::ptrdiff_t b = 0; b < count && m > 0 && n > 0; ++b)
            multiply_vector(
                op, m, n, *alpha, in_columns(a(b), lda),
                [=](std::ptrdiff_t) { return std::pair(std::ptrdiff_t{0}, m); }, x(b), step_x,
                *beta, y(b), step_y);
    });
}

/// Of a matrix with `below` diagonals under the main one and `above` over it, each of which is a
/// row in memory.
template <class T>
cublasStatus_t banded_by_vector(cublasHandle_t h, cublasOperation_t op, std::ptrdiff_t m,
                                std::ptrdiff_t n, std::ptrdiff_t below, std::ptrdiff_t above,
                                const T* alpha_at, const T* a, std::ptrdiff_t lda, const T* x,
                                std::ptrdiff_t step_x, const T* beta_at, T* y,
                                std::ptrdiff_t step_y) {
    const kept_factor<T> alpha(h, alpha_at), beta(h, beta_at);
    const bool is_bad = m < 0 || n < 0 || below < 0 || above < 0 || lda <= below + above ||
                        step_x == 0 || step_y == 0 || !is_operation(op) ||
                        has_null(alpha_at, beta_at);
    return run_or_record(h, is_bad, [=] {
        if (m == 0 || n == 0) return;
        multiply_vector(
            op, m, n, *alpha,
            [=](std::ptrdiff_t i, std::ptrdiff_t j) { return a[above + i - j + j * lda]; },
            [=](std::ptrdiff_t j) {
                return std::pair(std::max<std::ptrdiff_t>(0, j - above),
                                 std::min(m, j + below + 1));
            },
            x, step_x, *beta, y, step_y);
    });
}

template <class T>
cublasStatus_t add_outer(cublasHandle_t h, std::ptrdiff_t m, std::ptrdiff_t n, const T* alpha_at,
                         const T* x, std::ptrdiff_t step_x, const T* y, std::ptrdiff_t step_y, T* a,
                         std::ptrdiff_t lda, bool conjugated) {
    const kept_factor<T> alpha(h, alpha_at);
    const bool is_bad =
        m < 0 || n < 0 || step_x == 0 || step_y == 0 || is_smaller(lda, m) || has_null(alpha_at);
    return run_or_record(h, is_bad, [=] {
        if (*alpha == T(0)) return;
        const T *const left = x + first_of(m, step_x), *const right = y + first_of(n, step_y);
        const matrix<T> to{a, lda};
        for (std::ptrdiff_t j = 0; j < n; ++j) {
            const T own = right[j * step_y];
            const T factor = *alpha * (conjugated ? conjugate(own) : own);
            for (std::ptrdiff_t i = 0; i < m; ++i) to(i, j) += left[i * step_x] * factor;
        }
    });
}

}  // namespace

extern "C" {

#define CUSET_HOST_BLAS(T, letter, Int, end)                                                       \
    cublasStatus_t cublas##letter##gemv_v2##end(                                                   \
        cublasHandle_t h, cublasOperation_t op, Int m, Int n, const T* alpha, const T* a, Int lda, \
        const T* x, Int step_x, const T* beta, T* y, Int step_y) {                                 \
        return times_vectors(h, op, m, n, numbers(alpha), strided(numbers(a), 0), lda,             \
                             strided(numbers(x), 0), step_x, numbers(beta),                        \
                             strided(numbers(y), 0), step_y, 1);                                   \
    }                                                                                              \
    cublasStatus_t cublas##letter##gbmv_v2##end(cublasHandle_t h, cublasOperation_t op, Int m,     \
                                                Int n, Int below, Int above, const T* alpha,       \
                                                const T* a, Int lda, const T* x, Int step_x,       \
                                                const T* beta, T* y, Int step_y) {                 \
        return banded_by_vector(h, op, m, n, below, above, numbers(alpha), numbers(a), lda,        \
                                numbers(x), step_x, numbers(beta), numbers(y), step_y);            \
    }
CUSET_HOST_CALLS(CUSET_HOST_BLAS)
#undef CUSET_HOST_BLAS

// Batches: of the types of factors, of A and x, and of y.
#define CUSET_HOST_BLAS(Factor, T, Y, letters, Int, end)                                           \
    cublasStatus_t cublas##letters##gemvStridedBatched##end(                                       \
        cublasHandle_t h, cublasOperation_t op, Int m, Int n, const Factor* alpha, const T* a,     \
        Int lda, long long apart_a, const T* x, Int step_x, long long apart_x, const Factor* beta, \
        Y* y, Int step_y, long long apart_y, Int count) {                                          \
        return times_vectors(h, op, m, n, numbers(alpha), strided(numbers(a), apart_a), lda,       \
                             strided(numbers(x), apart_x), step_x, numbers(beta),                  \
                             strided(numbers(y), apart_y), step_y, count);                         \
    }                                                                                              \
    cublasStatus_t cublas##letters##gemvBatched##end(                                              \
        cublasHandle_t h, cublasOperation_t op, Int m, Int n, const Factor* alpha,                 \
        const T* const a[], Int lda, const T* const x[], Int step_x, const Factor* beta,           \
        Y* const y[], Int step_y, Int count) {                                                     \
        return times_vectors(h, op, m, n, numbers(alpha), listed(lists(a)), lda, listed(lists(x)), \
                             step_x, numbers(beta), listed(lists(y)), step_y, count);              \
    }
#define CUSET_HOST_BOTH(Factor, T, Y, letters)    \
    CUSET_HOST_BLAS(Factor, T, Y, letters, int, ) \
    CUSET_HOST_BLAS(Factor, T, Y, letters, int64_t, _64)
CUSET_HOST_BOTH(float, float, float, S)
CUSET_HOST_BOTH(double, double, double, D)
CUSET_HOST_BOTH(cuComplex, cuComplex, cuComplex, C)
CUSET_HOST_BOTH(cuDoubleComplex, cuDoubleComplex, cuDoubleComplex, Z)
CUSET_HOST_BOTH(float, __half, __half, HSH)
CUSET_HOST_BOTH(float, __half, float, HSS)
CUSET_HOST_BOTH(float, __nv_bfloat16, __nv_bfloat16, TST)
CUSET_HOST_BOTH(float, __nv_bfloat16, float, TSS)
#undef CUSET_HOST_BOTH
#undef CUSET_HOST_BLAS

#define CUSET_HOST_BLAS(T, name, conjugated, Int, end)                                          \
    cublasStatus_t cublas##name##_v2##end(cublasHandle_t h, Int m, Int n, const T* alpha,       \
                                          const T* x, Int step_x, const T* y, Int step_y, T* a, \
                                          Int lda) {                                            \
        return add_outer(h, m, n, numbers(alpha), numbers(x), step_x, numbers(y), step_y,       \
                         numbers(a), lda, conjugated);                                          \
    }
#define CUSET_HOST_BOTH(T, name, conjugated)    \
    CUSET_HOST_BLAS(T, name, conjugated, int, ) \
    CUSET_HOST_BLAS(T, name, conjugated, int64_t, _64)
CUSET_HOST_BOTH(float, Sger, false)
CUSET_HOST_BOTH(double, Dger, false)
CUSET_HOST_BOTH(cuComplex, Cgeru, false)
CUSET_HOST_BOTH(cuComplex, Cgerc, true)
CUSET_HOST_BOTH(cuDoubleComplex, Zgeru, false)
CUSET_HOST_BOTH(cuDoubleComplex, Zgerc, true)
#undef CUSET_HOST_BOTH
#undef CUSET_HOST_BLAS

}  // extern "C"
