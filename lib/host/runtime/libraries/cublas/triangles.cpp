// cuBLAS on triangles, and on symmetric and Hermitian matrices, of which one triangle is read.
#include "cuset_host/cuda_types.h"
#include "handle.h"

using namespace cuset_host;

namespace {

/// A triangle as a full matrix, with zeros beyond.
template <class T>
full_matrix<T> full_triangle(const T* a, int lda, int n, cublasFillMode_t fill,
                             cublasDiagType_t diagonal) {
    full_matrix<T> full(n, n);
    const matrix<const T> from{a, lda};
    for (std::ptrdiff_t j = 0; j < n; ++j)
        for (std::ptrdiff_t i = 0; i < n; ++i)
            if (fill == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j)
                full(i, j) = i == j && diagonal == CUBLAS_DIAG_UNIT ? T(1) : from(i, j);
    return full;
}
/// A symmetric or Hermitian matrix as a full one; the diagonal of the latter counts as real.
template <class T>
full_matrix<T> full_symmetric(const T* a, int lda, int n, cublasFillMode_t fill, bool hermitian) {
    full_matrix<T> full = full_triangle(a, lda, n, fill, CUBLAS_DIAG_NON_UNIT);
    for (std::ptrdiff_t j = 0; j < n; ++j) {
        if (hermitian) full(j, j) = std::real(full(j, j));
        for (std::ptrdiff_t i = 0; i < n; ++i)
            if (fill == CUBLAS_FILL_MODE_UPPER ? i > j : i < j)
                full(i, j) = hermitian ? conjugate(full(j, i)) : full(j, i);
    }
    return full;
}

template <class T>
cublasStatus_t triangle_by_vector(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op,
                                  cublasDiagType_t diagonal, int n, const T* a, int lda, T* x,
                                  int step, bool solves) {
    return run(h, n < 0 || is_smaller(lda, n) || step == 0, [&] {
        T* const first = x + first_of(n, step);
        if (solves) {
            solve_triangle(matrix<const T>{a, lda}, fill == CUBLAS_FILL_MODE_LOWER,
                           op != CUBLAS_OP_N, op == CUBLAS_OP_C, diagonal == CUBLAS_DIAG_UNIT, n,
                           first, step);
            return;
        }
        const full_matrix<T> full = full_triangle(a, lda, n, fill, diagonal);
        const matrix<const T> m = full.all();
        std::vector<T> made(static_cast<std::size_t>(n));
        for (std::ptrdiff_t i = 0; i < n; ++i)
            for (std::ptrdiff_t j = 0; j < n; ++j)
                made[static_cast<std::size_t>(i)] += taken(m, op, i, j) * first[j * step];
        for (std::ptrdiff_t i = 0; i < n; ++i) first[i * step] = made[static_cast<std::size_t>(i)];
    });
}

template <class T>
cublasStatus_t symmetric_by_vector(cublasHandle_t h, cublasFillMode_t fill, int n, const T* alpha,
                                   const T* a, int lda, const T* x, int step_x, const T* beta, T* y,
                                   int step_y, bool hermitian) {
    return run(h, n < 0 || is_smaller(lda, n) || step_x == 0 || step_y == 0, [&] {
        const full_matrix<T> m = full_symmetric(a, lda, n, fill, hermitian);
        const T* const from = x + first_of(n, step_x);
        T* const to = y + first_of(n, step_y);
        for (std::ptrdiff_t i = 0; i < n; ++i) {
            T sum = 0;
            for (std::ptrdiff_t j = 0; j < n; ++j) sum += m(i, j) * from[j * step_x];
            T& out = to[i * step_y];
            out = *alpha * sum + (*beta == T(0) ? T(0) : *beta * out);
        }
    });
}

/// Adds alpha x x' to a triangle of A.
template <class T, class Scale>
cublasStatus_t add_square(cublasHandle_t h, cublasFillMode_t fill, int n, const Scale* alpha,
                          const T* x, int step, T* a, int lda, bool hermitian) {
    return run(h, n < 0 || step == 0 || is_smaller(lda, n), [&] {
        const T* const from = x + first_of(n, step);
        const matrix<T> to{a, lda};
        for (std::ptrdiff_t j = 0; j < n; ++j) {
            const T right = hermitian ? conjugate(from[j * step]) : from[j * step];
            for (std::ptrdiff_t i = 0; i < n; ++i)
                if (fill == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j)
                    to(i, j) += *alpha * from[i * step] * right;
            if (hermitian) to(j, j) = std::real(to(j, j));
        }
    });
}

/// C = alpha A B + beta C. With a fill mode, only in that triangle.
template <class T, class A, class B>
void combine(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k, T alpha, const A& a, const B& b,
             T beta, const matrix<T>& c, int filled = -1) {
    if (alpha == T(0)) k = 0;
    multiply<T>(m, n, k, a, b, [&](std::ptrdiff_t i, std::ptrdiff_t j, T sum) {
        if (filled == CUBLAS_FILL_MODE_LOWER ? i < j : filled == CUBLAS_FILL_MODE_UPPER && i > j)
            return;
        T& out = c(i, j);
        out = alpha * sum + (beta == T(0) ? T(0) : beta * out);
    });
}

template <class T>
cublasStatus_t symmetric_product(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,
                                 int m, int n, const T* alpha, const T* a, int lda, const T* b,
                                 int ldb, const T* beta, T* c, int ldc, bool hermitian) {
    const int order = side == CUBLAS_SIDE_LEFT ? m : n;
    const bool is_bad =
        m < 0 || n < 0 || is_smaller(lda, order) || is_smaller(ldb, m) || is_smaller(ldc, m);
    return run(h, is_bad, [&] {
        const full_matrix<T> s = full_symmetric(a, lda, order, fill, hermitian);
        const matrix<const T> other{b, ldb};
        const matrix<T> to{c, ldc};
        if (side == CUBLAS_SIDE_LEFT)
            combine(m, n, m, *alpha, s, other, *beta, to);
        else
            combine(m, n, n, *alpha, other, s, *beta, to);
    });
}

/// C = alpha op(A) op(A)' + beta C; of Hermitian updates, the diagonal stays real.
template <class T, class Scale>
cublasStatus_t rank_update(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, int n,
                           int k, const Scale* alpha, const T* a, int lda, const Scale* beta, T* c,
                           int ldc, bool hermitian) {
    const bool is_bad =
        n < 0 || k < 0 || is_smaller(lda, op == CUBLAS_OP_N ? n : k) || is_smaller(ldc, n);
    return run(h, is_bad, [&] {
        const matrix<const T> m{a, lda};
        const matrix<T> to{c, ldc};
        const auto left = [&](std::ptrdiff_t i, std::ptrdiff_t l) { return taken(m, op, i, l); };
        const auto right = [&](std::ptrdiff_t l, std::ptrdiff_t j) {
            const T own = taken(m, op, j, l);
            return hermitian ? conjugate(own) : own;
        };
        combine(n, n, k, T(*alpha), left, right, T(*beta), to, fill);
        for (std::ptrdiff_t i = 0; i < n && hermitian; ++i) to(i, i) = std::real(to(i, i));
    });
}

/// C = alpha (op(A) op(B)' + op(B) op(A)') + beta C for real and complex symmetric matrices.
template <class T>
cublasStatus_t double_rank_update(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op,
                                  int n, int k, const T* alpha, const T* a, int lda, const T* b,
                                  int ldb, const T* beta, T* c, int ldc) {
    const int rows = op == CUBLAS_OP_N ? n : k;
    const bool is_bad =
        n < 0 || k < 0 || is_smaller(lda, rows) || is_smaller(ldb, rows) || is_smaller(ldc, n);
    return run(h, is_bad, [&] {
        const matrix<const T> x{a, lda}, y{b, ldb};
        const auto left = [&](std::ptrdiff_t i, std::ptrdiff_t l) {
            return l < k ? taken(x, op, i, l) : taken(y, op, i, l - k);
        };
        const auto right = [&](std::ptrdiff_t l, std::ptrdiff_t j) {
            return l < k ? taken(y, op, j, l) : taken(x, op, j, l - k);
        };
        combine(n, n, std::ptrdiff_t{2} * k, *alpha, left, right, *beta, matrix<T>{c, ldc}, fill);
    });
}

/// C may be B.
template <class T>
cublasStatus_t triangle_product(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,
                                cublasOperation_t op, cublasDiagType_t diagonal, int m, int n,
                                const T* alpha, const T* a, int lda, const T* b, int ldb, T* c,
                                int ldc) {
    const int order = side == CUBLAS_SIDE_LEFT ? m : n;
    const bool is_bad =
        m < 0 || n < 0 || is_smaller(lda, order) || is_smaller(ldb, m) || is_smaller(ldc, m);
    return run(h, is_bad, [&] {
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
                   cublasDiagType_t diagonal, int m, int n, T alpha, const T* a, int lda, T* b,
                   int ldb) {
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
                                  cublasOperation_t op, cublasDiagType_t diagonal, int m, int n,
                                  const T* alpha, const A& a, int lda, const B& b, int ldb,
                                  int count) {
    const bool is_bad = m < 0 || n < 0 || count < 0 ||
                        is_smaller(lda, side == CUBLAS_SIDE_LEFT ? m : n) || is_smaller(ldb, m);
    return run(h, is_bad, [&] {
        for (int i = 0; i < count; ++i)
            solve_columns(side, fill, op, diagonal, m, n, *alpha, a(i), lda, b(i), ldb);
    });
}

}  // namespace

extern "C" {

#define CUSET_HOST_BLAS(T, letter)                                                                 \
    cublasStatus_t cublas##letter##trmv_v2(cublasHandle_t h, cublasFillMode_t fill,                \
                                           cublasOperation_t op, cublasDiagType_t diagonal, int n, \
                                           const T* a, int lda, T* x, int step) {                  \
        return triangle_by_vector(h, fill, op, diagonal, n, numbers(a), lda, numbers(x), step,     \
                                  false);                                                          \
    }                                                                                              \
    cublasStatus_t cublas##letter##trsv_v2(cublasHandle_t h, cublasFillMode_t fill,                \
                                           cublasOperation_t op, cublasDiagType_t diagonal, int n, \
                                           const T* a, int lda, T* x, int step) {                  \
        return triangle_by_vector(h, fill, op, diagonal, n, numbers(a), lda, numbers(x), step,     \
                                  true);                                                           \
    }                                                                                              \
    cublasStatus_t cublas##letter##syr_v2(cublasHandle_t h, cublasFillMode_t fill, int n,          \
                                          const T* alpha, const T* x, int step, T* a, int lda) {   \
        return add_square(h, fill, n, numbers(alpha), numbers(x), step, numbers(a), lda, false);   \
    }                                                                                              \
    cublasStatus_t cublas##letter##syrk_v2(cublasHandle_t h, cublasFillMode_t fill,                \
                                           cublasOperation_t op, int n, int k, const T* alpha,     \
                                           const T* a, int lda, const T* beta, T* c, int ldc) {    \
        return rank_update(h, fill, op, n, k, numbers(alpha), numbers(a), lda, numbers(beta),      \
                           numbers(c), ldc, false);                                                \
    }                                                                                              \
    cublasStatus_t cublas##letter##syr2k_v2(                                                       \
        cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, int n, int k,               \
        const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {  \
        return double_rank_update(h, fill, op, n, k, numbers(alpha), numbers(a), lda, numbers(b),  \
                                  ldb, numbers(beta), numbers(c), ldc);                            \
    }                                                                                              \
    cublasStatus_t cublas##letter##trmm_v2(                                                        \
        cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op,      \
        cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* a, int lda, const T* b,  \
        int ldb, T* c, int ldc) {                                                                  \
        return triangle_product(h, side, fill, op, diagonal, m, n, numbers(alpha), numbers(a),     \
                                lda, numbers(b), ldb, numbers(c), ldc);                            \
    }                                                                                              \
    cublasStatus_t cublas##letter##trsm_v2(cublasHandle_t h, cublasSideMode_t side,                \
                                           cublasFillMode_t fill, cublasOperation_t op,            \
                                           cublasDiagType_t diagonal, int m, int n,                \
                                           const T* alpha, const T* a, int lda, T* b, int ldb) {   \
        return triangle_solutions(h, side, fill, op, diagonal, m, n, numbers(alpha),               \
                                  strided(numbers(a), 0), lda, strided(numbers(b), 0), ldb, 1);    \
    }                                                                                              \
    cublasStatus_t cublas##letter##trsmBatched(                                                    \
        cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op,      \
        cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* const a[], int lda,      \
        T* const b[], int ldb, int count) {                                                        \
        return triangle_solutions(h, side, fill, op, diagonal, m, n, numbers(alpha),               \
                                  listed(lists(a)), lda, listed(lists(b)), ldb, count);            \
    }
CUSET_HOST_BLAS(float, S)
CUSET_HOST_BLAS(double, D)
CUSET_HOST_BLAS(cuComplex, C)
CUSET_HOST_BLAS(cuDoubleComplex, Z)
#undef CUSET_HOST_BLAS

// Symmetric and Hermitian matrices by vectors and matrices.
#define CUSET_HOST_BLAS(T, name, hermitian)                                                        \
    cublasStatus_t cublas##name##mv_v2(cublasHandle_t h, cublasFillMode_t fill, int n,             \
                                       const T* alpha, const T* a, int lda, const T* x,            \
                                       int step_x, const T* beta, T* y, int step_y) {              \
        return symmetric_by_vector(h, fill, n, numbers(alpha), numbers(a), lda, numbers(x),        \
                                   step_x, numbers(beta), numbers(y), step_y, hermitian);          \
    }                                                                                              \
    cublasStatus_t cublas##name##mm_v2(                                                            \
        cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, int m, int n,              \
        const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {  \
        return symmetric_product(h, side, fill, m, n, numbers(alpha), numbers(a), lda, numbers(b), \
                                 ldb, numbers(beta), numbers(c), ldc, hermitian);                  \
    }
CUSET_HOST_BLAS(float, Ssy, false)
CUSET_HOST_BLAS(double, Dsy, false)
CUSET_HOST_BLAS(cuComplex, Csy, false)
CUSET_HOST_BLAS(cuDoubleComplex, Zsy, false)
CUSET_HOST_BLAS(cuComplex, Che, true)
CUSET_HOST_BLAS(cuDoubleComplex, Zhe, true)
#undef CUSET_HOST_BLAS

#define CUSET_HOST_BLAS(T, R, letter)                                                            \
    cublasStatus_t cublas##letter##her_v2(cublasHandle_t h, cublasFillMode_t fill, int n,        \
                                          const R* alpha, const T* x, int step, T* a, int lda) { \
        return add_square(h, fill, n, alpha, numbers(x), step, numbers(a), lda, true);           \
    }                                                                                            \
    cublasStatus_t cublas##letter##herk_v2(cublasHandle_t h, cublasFillMode_t fill,              \
                                           cublasOperation_t op, int n, int k, const R* alpha,   \
                                           const T* a, int lda, const R* beta, T* c, int ldc) {  \
        return rank_update(h, fill, op, n, k, alpha, numbers(a), lda, beta, numbers(c), ldc,     \
                           true);                                                                \
    }
CUSET_HOST_BLAS(cuComplex, float, C)
CUSET_HOST_BLAS(cuDoubleComplex, double, Z)
#undef CUSET_HOST_BLAS

}  // extern "C"
