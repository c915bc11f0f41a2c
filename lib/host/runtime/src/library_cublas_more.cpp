// cuBLAS beyond products of real matrices: copies of matrices, triangular and symmetric ones,
// rotations, complex numbers, and batched LU. Plain loops, in columns.
#include "cuset_host/cuda_types.h"

#if CUSET_HOST_TOOLKIT && __has_include(<cublas_v2.h>)

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "cuset_host/faults.h"
#include "library_cublas.h"

using namespace cuset_host;

namespace {

template <class T>
T conjugate(T x) {
    return x;
}
template <class T>
std::complex<T> conjugate(std::complex<T> x) {
    return std::conj(x);
}

/// A matrix in columns.
template <class T>
struct matrix {
    T* data;
    int rows_apart;
    T& operator()(int i, int j) const {
        return data[i + static_cast<std::ptrdiff_t>(j) * rows_apart];
    }
};

/// The element of op(A).
template <class T>
T taken(const matrix<const T>& a, cublasOperation_t op, int i, int j) {
    if (op == CUBLAS_OP_N) return a(i, j);
    return op == CUBLAS_OP_C ? conjugate(a(j, i)) : a(j, i);
}

/// A triangle, or a symmetric matrix, as a full one of n x n.
template <class T>
std::vector<T> full_triangle(const T* a, int lda, int n, cublasFillMode_t fill,
                             cublasDiagType_t diagonal) {
    std::vector<T> full(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    const matrix<const T> from{a, lda};
    const matrix<T> to{full.data(), n};
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            if (fill == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j)
                to(i, j) = i == j && diagonal == CUBLAS_DIAG_UNIT ? T(1) : from(i, j);
    return full;
}
template <class T>
std::vector<T> full_symmetric(const T* a, int lda, int n, cublasFillMode_t fill) {
    std::vector<T> full = full_triangle(a, lda, n, fill, CUBLAS_DIAG_NON_UNIT);
    const matrix<T> to{full.data(), n};
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            if (fill == CUBLAS_FILL_MODE_UPPER ? i > j : i < j) to(i, j) = to(j, i);
    return full;
}

/// Solves op(A) x = b in place, for a full triangle, with x of n numbers `step` apart.
template <class T>
void solve(const matrix<const T>& a, cublasOperation_t op, cublasFillMode_t fill, int n, T* x,
           std::ptrdiff_t step) {
    const bool from_above = (fill == CUBLAS_FILL_MODE_LOWER) == (op == CUBLAS_OP_N);
    for (int k = 0; k < n; ++k) {
        const int i = from_above ? k : n - 1 - k;
        T sum = x[i * step];
        for (int l = 0; l < k; ++l) {
            const int j = from_above ? l : n - 1 - l;
            sum -= taken(a, op, i, j) * x[j * step];
        }
        x[i * step] = sum / taken(a, op, i, i);
    }
}

template <class T>
std::ptrdiff_t first_of(int n, int step) {
    return step > 0 ? 0 : static_cast<std::ptrdiff_t>(1 - n) * step;
}

template <class T>
cublasStatus_t triangle_by_vector(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op,
                                  cublasDiagType_t diagonal, int n, const T* a, int lda, T* x,
                                  int step, bool solves) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (n < 0 || lda < std::max(1, n) || step == 0) return CUBLAS_STATUS_INVALID_VALUE;
    const library_kernel running(h->stream);
    const std::vector<T> full = full_triangle(a, lda, n, fill, diagonal);
    const matrix<const T> m{full.data(), n};
    T* const first = x + first_of<T>(n, step);
    if (solves) {
        solve(m, op, fill, n, first, step);
        return CUBLAS_STATUS_SUCCESS;
    }
    std::vector<T> made(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            made[static_cast<std::size_t>(i)] +=
                taken(m, op, i, j) * first[j * std::ptrdiff_t{step}];
    for (int i = 0; i < n; ++i) first[i * std::ptrdiff_t{step}] = made[static_cast<std::size_t>(i)];
    return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t symmetric_by_vector(cublasHandle_t h, cublasFillMode_t fill, int n, const T* alpha,
                                   const T* a, int lda, const T* x, int step_x, const T* beta, T* y,
                                   int step_y) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (n < 0 || lda < std::max(1, n) || step_x == 0 || step_y == 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    const library_kernel running(h->stream);
    const std::vector<T> full = full_symmetric(a, lda, n, fill);
    const matrix<const T> m{full.data(), n};
    const T* const from = x + first_of<T>(n, step_x);
    T* const to = y + first_of<T>(n, step_y);
    for (int i = 0; i < n; ++i) {
        T sum = 0;
        for (int j = 0; j < n; ++j) sum += m(i, j) * from[j * std::ptrdiff_t{step_x}];
        T& out = to[i * std::ptrdiff_t{step_y}];
        out = *alpha * sum + (*beta == T(0) ? T(0) : *beta * out);
    }
    return CUBLAS_STATUS_SUCCESS;
}

/// C = alpha A op(B) + beta C, element by element, for what is not asked for speed.
template <class T, class A, class B>
void combine(int m, int n, int k, T alpha, const A& a, const B& b, T beta, const matrix<T>& c,
             int filled = -1) {
    std::vector<T> sums(static_cast<std::size_t>(m));
    for (int j = 0; j < n; ++j) {
        std::fill(sums.begin(), sums.end(), T(0));
        for (int l = 0; l < k; ++l) {
            const T right = b(l, j);
            for (int i = 0; i < m; ++i) sums[static_cast<std::size_t>(i)] += a(i, l) * right;
        }
        for (int i = 0; i < m; ++i) {
            const bool skips = filled == CUBLAS_FILL_MODE_LOWER   ? i < j
                               : filled == CUBLAS_FILL_MODE_UPPER ? i > j
                                                                  : false;
            if (skips) continue;
            T& out = c(i, j);
            out = alpha * sums[static_cast<std::size_t>(i)] + (beta == T(0) ? T(0) : beta * out);
        }
    }
}

template <class T>
cublasStatus_t symmetric_product(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,
                                 int m, int n, const T* alpha, const T* a, int lda, const T* b,
                                 int ldb, const T* beta, T* c, int ldc) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    const int order = side == CUBLAS_SIDE_LEFT ? m : n;
    if (m < 0 || n < 0 || lda < std::max(1, order) || ldb < std::max(1, m) || ldc < std::max(1, m))
        return CUBLAS_STATUS_INVALID_VALUE;
    const library_kernel running(h->stream);
    const std::vector<T> full = full_symmetric(a, lda, order, fill);
    const matrix<const T> s{full.data(), order}, other{b, ldb};
    const matrix<T> to{c, ldc};
    if (side == CUBLAS_SIDE_LEFT)
        combine(m, n, m, *alpha, s, other, *beta, to);
    else
        combine(m, n, n, *alpha, other, s, *beta, to);
    return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t rank_update(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, int n,
                           int k, const T* alpha, const T* a, int lda, const T* beta, T* c,
                           int ldc) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (n < 0 || k < 0 || lda < std::max(1, op == CUBLAS_OP_N ? n : k) || ldc < std::max(1, n))
        return CUBLAS_STATUS_INVALID_VALUE;
    const library_kernel running(h->stream);
    const matrix<const T> m{a, lda};
    const auto left = [&](int i, int l) { return taken(m, op, i, l); };
    const auto right = [&](int l, int j) { return taken(m, op, j, l); };
    combine(n, n, k, *alpha, left, right, *beta, matrix<T>{c, ldc}, fill);
    return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t triangle_product(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,
                                cublasOperation_t op, cublasDiagType_t diagonal, int m, int n,
                                const T* alpha, const T* a, int lda, const T* b, int ldb, T* c,
                                int ldc) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    const int order = side == CUBLAS_SIDE_LEFT ? m : n;
    if (m < 0 || n < 0 || lda < std::max(1, order) || ldb < std::max(1, m) || ldc < std::max(1, m))
        return CUBLAS_STATUS_INVALID_VALUE;
    const library_kernel running(h->stream);
    const std::vector<T> full = full_triangle(a, lda, order, fill, diagonal);
    const matrix<const T> t{full.data(), order}, from{b, ldb};
    std::vector<T> copy(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
    const matrix<T> other{copy.data(), m};
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) other(i, j) = from(i, j);
    const auto triangle = [&](int i, int j) { return taken(t, op, i, j); };
    if (side == CUBLAS_SIDE_LEFT)
        combine(m, n, m, *alpha, triangle, other, T(0), matrix<T>{c, ldc});
    else
        combine(m, n, n, *alpha, other, triangle, T(0), matrix<T>{c, ldc});
    return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t triangle_solution(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,
                                 cublasOperation_t op, cublasDiagType_t diagonal, int m, int n,
                                 const T* alpha, const T* a, int lda, T* b, int ldb) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    const bool is_left = side == CUBLAS_SIDE_LEFT;
    const int order = is_left ? m : n;
    if (m < 0 || n < 0 || lda < std::max(1, order) || ldb < std::max(1, m))
        return CUBLAS_STATUS_INVALID_VALUE;
    const library_kernel running(h->stream);
    const std::vector<T> full = full_triangle(a, lda, order, fill, diagonal);
    const matrix<const T> t{full.data(), order};
    const matrix<T> x{b, ldb};
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) x(i, j) *= *alpha;
    // X op(A) = B is op'(A) X' = B'.
    const cublasOperation_t turned = op == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;
    if (is_left)
        for (int j = 0; j < n; ++j) solve(t, op, fill, m, &x(0, j), 1);
    else
        for (int i = 0; i < m; ++i) solve(t, turned, fill, n, &x(i, 0), ldb);
    return CUBLAS_STATUS_SUCCESS;
}

/// LU in place with rows exchanged; pivots count from 1. Returns the first pivot that is 0, or 0.
template <class T>
int decompose(const matrix<T>& a, int n, int* pivots) {
    int singular = 0;
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n && pivots != nullptr; ++i)
            if (std::abs(a(i, k)) > std::abs(a(best, k))) best = i;
        if (pivots != nullptr) pivots[k] = best + 1;
        if (best != k)
            for (int j = 0; j < n; ++j) std::swap(a(k, j), a(best, j));
        if (a(k, k) == T(0)) {
            if (singular == 0) singular = k + 1;
            continue;
        }
        for (int i = k + 1; i < n; ++i) {
            a(i, k) /= a(k, k);
            for (int j = k + 1; j < n; ++j) a(i, j) -= a(i, k) * a(k, j);
        }
    }
    return singular;
}
/// Solves A x = b in place, or with A transposed, from what decompose() left.
template <class T>
void solve_decomposed(const matrix<const T>& a, const int* pivots, int n, T* x, bool transposed) {
    const auto exchange = [&](int k) {
        if (pivots != nullptr) std::swap(x[k], x[pivots[k] - 1]);
    };
    if (!transposed)
        for (int k = 0; k < n; ++k) exchange(k);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) x[i] -= (transposed ? a(j, i) : a(i, j)) * x[j];
        if (transposed) x[i] /= a(i, i);
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) x[i] -= (transposed ? a(j, i) : a(i, j)) * x[j];
        if (!transposed) x[i] /= a(i, i);
    }
    if (transposed)
        for (int k = n - 1; k >= 0; --k) exchange(k);
}

template <class T>
cublasStatus_t decompose_all(cublasHandle_t h, int n, T* const a[], int lda, int* pivots,
                             int* infos, int count) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (n < 0 || lda < std::max(1, n) || count < 0) return CUBLAS_STATUS_INVALID_VALUE;
    const library_kernel running(h->stream);
    for (int i = 0; i < count; ++i)
        infos[i] = decompose(matrix<T>{a[i], lda}, n,
                             pivots == nullptr ? nullptr : pivots + std::ptrdiff_t{i} * n);
    return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t invert_all(cublasHandle_t h, int n, const T* const a[], int lda, const int* pivots,
                          T* const c[], int ldc, int* infos, int count) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (n < 0 || lda < std::max(1, n) || ldc < std::max(1, n)) return CUBLAS_STATUS_INVALID_VALUE;
    const library_kernel running(h->stream);
    for (int b = 0; b < count; ++b) {
        const matrix<const T> from{a[b], lda};
        const matrix<T> to{c[b], ldc};
        infos[b] = 0;
        for (int k = n; k-- > 0;)
            if (from(k, k) == T(0)) infos[b] = k + 1;
        if (infos[b] != 0) continue;
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) to(i, j) = i == j ? T(1) : T(0);
            solve_decomposed(from, pivots == nullptr ? nullptr : pivots + std::ptrdiff_t{b} * n, n,
                             &to(0, j), false);
        }
    }
    return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t solve_all(cublasHandle_t h, cublasOperation_t op, int n, int columns,
                         const T* const a[], int lda, const int* pivots, T* const b[], int ldb,
                         int* info, int count) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    *info = 0;
    if (n < 0 || columns < 0 || lda < std::max(1, n) || ldb < std::max(1, n))
        return CUBLAS_STATUS_INVALID_VALUE;
    const library_kernel running(h->stream);
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < columns; ++j)
            solve_decomposed(matrix<const T>{a[i], lda},
                             pivots == nullptr ? nullptr : pivots + std::ptrdiff_t{i} * n, n,
                             b[i] + std::ptrdiff_t{j} * ldb, op != CUBLAS_OP_N);
    return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t rotate(cublasHandle_t h, int n, T* x, int step_x, T* y, int step_y, T c, T s) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    const library_kernel running(h->stream);
    T* const a = x + first_of<T>(n, step_x);
    T* const b = y + first_of<T>(n, step_y);
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        const T u = a[i * step_x], v = b[i * step_y];
        a[i * step_x] = c * u + s * v;
        b[i * step_y] = c * v - s * u;
    }
    return CUBLAS_STATUS_SUCCESS;
}

// --- Complex numbers -----------------------------------------------------------------------------

template <class T>
using number_of = std::complex<T>;

template <class T, class C>
cublasStatus_t complex_products(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                                int n, int k, const C* alpha, const C* a, int lda, long long step_a,
                                const C* b, int ldb, long long step_b, const C* beta, C* c, int ldc,
                                long long step_c, int count) {
    using Z = number_of<T>;
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || k < 0 || ldc < std::max(1, m)) return CUBLAS_STATUS_INVALID_VALUE;
    const library_kernel running(h->stream);
    for (int i = 0; i < count; ++i) {
        const matrix<const Z> left{reinterpret_cast<const Z*>(a + i * step_a), lda};
        const matrix<const Z> right{reinterpret_cast<const Z*>(b + i * step_b), ldb};
        combine(
            m, n, k, *reinterpret_cast<const Z*>(alpha),
            [&](int r, int l) { return taken(left, ta, r, l); },
            [&](int l, int r) { return taken(right, tb, l, r); }, *reinterpret_cast<const Z*>(beta),
            matrix<Z>{reinterpret_cast<Z*>(c + i * step_c), ldc});
    }
    return CUBLAS_STATUS_SUCCESS;
}

template <class C, class Body>
cublasStatus_t each_complex(cublasHandle_t h, int n, int step_x, int step_y, const Body& body) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    const library_kernel running(h->stream);
    for (std::ptrdiff_t i = 0; i < n; ++i)
        body(first_of<C>(n, step_x) + i * step_x, first_of<C>(n, step_y) + i * step_y);
    return CUBLAS_STATUS_SUCCESS;
}

void copy_columns(int rows, int columns, int bytes, const void* from, int apart_from, void* to,
                  int apart_to, cudaMemcpyKind kind) {
    const auto size = static_cast<std::size_t>(bytes);
    if (rows > 0 && columns > 0)
        cudaMemcpy2D(to, size * static_cast<std::size_t>(apart_to), from,
                     size * static_cast<std::size_t>(apart_from),
                     size * static_cast<std::size_t>(rows), static_cast<std::size_t>(columns),
                     kind);
}

}  // namespace

extern "C" {

cublasStatus_t cublasSetMatrix(int rows, int columns, int bytes, const void* a, int lda, void* b,
                               int ldb) {
    if (rows < 0 || columns < 0 || bytes <= 0 || lda < rows || ldb < rows)
        return CUBLAS_STATUS_INVALID_VALUE;
    copy_columns(rows, columns, bytes, a, lda, b, ldb, cudaMemcpyHostToDevice);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetMatrix(int rows, int columns, int bytes, const void* a, int lda, void* b,
                               int ldb) {
    if (rows < 0 || columns < 0 || bytes <= 0 || lda < rows || ldb < rows)
        return CUBLAS_STATUS_INVALID_VALUE;
    copy_columns(rows, columns, bytes, a, lda, b, ldb, cudaMemcpyDeviceToHost);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int bytes, const void* a, int lda,
                                    void* b, int ldb, cudaStream_t) {
    return cublasSetMatrix(rows, columns, bytes, a, lda, b, ldb);
}
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int bytes, const void* a, int lda,
                                    void* b, int ldb, cudaStream_t) {
    return cublasGetMatrix(rows, columns, bytes, a, lda, b, ldb);
}
cublasStatus_t cublasSetVector(int n, int bytes, const void* x, int step_x, void* y, int step_y) {
    if (n < 0 || bytes <= 0 || step_x <= 0 || step_y <= 0) return CUBLAS_STATUS_INVALID_VALUE;
    copy_columns(1, n, bytes, x, step_x, y, step_y, cudaMemcpyHostToDevice);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVector(int n, int bytes, const void* x, int step_x, void* y, int step_y) {
    if (n < 0 || bytes <= 0 || step_x <= 0 || step_y <= 0) return CUBLAS_STATUS_INVALID_VALUE;
    copy_columns(1, n, bytes, x, step_x, y, step_y, cudaMemcpyDeviceToHost);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetVectorAsync(int n, int bytes, const void* x, int step_x, void* y,
                                    int step_y, cudaStream_t) {
    return cublasSetVector(n, bytes, x, step_x, y, step_y);
}
cublasStatus_t cublasGetVectorAsync(int n, int bytes, const void* x, int step_x, void* y,
                                    int step_y, cudaStream_t) {
    return cublasGetVector(n, bytes, x, step_x, y, step_y);
}

#define CUSET_HOST_BLAS(T, letter, small)                                                          \
    cublasStatus_t cublas##letter##trmv_v2(cublasHandle_t h, cublasFillMode_t fill,                \
                                           cublasOperation_t op, cublasDiagType_t diagonal, int n, \
                                           const T* a, int lda, T* x, int step) {                  \
        return triangle_by_vector(h, fill, op, diagonal, n, a, lda, x, step, false);               \
    }                                                                                              \
    cublasStatus_t cublas##letter##trsv_v2(cublasHandle_t h, cublasFillMode_t fill,                \
                                           cublasOperation_t op, cublasDiagType_t diagonal, int n, \
                                           const T* a, int lda, T* x, int step) {                  \
        return triangle_by_vector(h, fill, op, diagonal, n, a, lda, x, step, true);                \
    }                                                                                              \
    cublasStatus_t cublas##letter##symv_v2(cublasHandle_t h, cublasFillMode_t fill, int n,         \
                                           const T* alpha, const T* a, int lda, const T* x,        \
                                           int step_x, const T* beta, T* y, int step_y) {          \
        return symmetric_by_vector(h, fill, n, alpha, a, lda, x, step_x, beta, y, step_y);         \
    }                                                                                              \
    cublasStatus_t cublas##letter##symm_v2(                                                        \
        cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, int m, int n,              \
        const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {  \
        return symmetric_product(h, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc);        \
    }                                                                                              \
    cublasStatus_t cublas##letter##syrk_v2(cublasHandle_t h, cublasFillMode_t fill,                \
                                           cublasOperation_t op, int n, int k, const T* alpha,     \
                                           const T* a, int lda, const T* beta, T* c, int ldc) {    \
        return rank_update(h, fill, op, n, k, alpha, a, lda, beta, c, ldc);                        \
    }                                                                                              \
    cublasStatus_t cublas##letter##trmm_v2(                                                        \
        cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op,      \
        cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* a, int lda, const T* b,  \
        int ldb, T* c, int ldc) {                                                                  \
        return triangle_product(h, side, fill, op, diagonal, m, n, alpha, a, lda, b, ldb, c, ldc); \
    }                                                                                              \
    cublasStatus_t cublas##letter##trsm_v2(cublasHandle_t h, cublasSideMode_t side,                \
                                           cublasFillMode_t fill, cublasOperation_t op,            \
                                           cublasDiagType_t diagonal, int m, int n,                \
                                           const T* alpha, const T* a, int lda, T* b, int ldb) {   \
        return triangle_solution(h, side, fill, op, diagonal, m, n, alpha, a, lda, b, ldb);        \
    }                                                                                              \
    cublasStatus_t cublas##letter##dgmm(cublasHandle_t h, cublasSideMode_t side, int m, int n,     \
                                        const T* a, int lda, const T* x, int step, T* c,           \
                                        int ldc) {                                                 \
        if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;                                    \
        const library_kernel running(h->stream);                                                   \
        const int length = side == CUBLAS_SIDE_LEFT ? m : n;                                       \
        const T* const d = x + first_of<T>(length, step);                                          \
        for (int j = 0; j < n; ++j)                                                                \
            for (int i = 0; i < m; ++i)                                                            \
                c[i + std::ptrdiff_t{j} * ldc] =                                                   \
                    a[i + std::ptrdiff_t{j} * lda] *                                               \
                    d[std::ptrdiff_t{side == CUBLAS_SIDE_LEFT ? i : j} * step];                    \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }                                                                                              \
    cublasStatus_t cublas##letter##rot_v2(cublasHandle_t h, int n, T* x, int step_x, T* y,         \
                                          int step_y, const T* c, const T* s) {                    \
        return rotate(h, n, x, step_x, y, step_y, *c, *s);                                         \
    }                                                                                              \
    cublasStatus_t cublasI##small##amin_v2(cublasHandle_t h, int n, const T* x, int step,          \
                                           int* result) {                                          \
        if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;                                    \
        const library_kernel running(h->stream);                                                   \
        int best = n > 0 ? 1 : 0;                                                                  \
        for (int i = 1; i < n; ++i)                                                                \
            if (std::fabs(x[std::ptrdiff_t{i} * step]) <                                           \
                std::fabs(x[std::ptrdiff_t{best - 1} * step]))                                     \
                best = i + 1;                                                                      \
        *result = best;                                                                            \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }                                                                                              \
    cublasStatus_t cublas##letter##getrfBatched(cublasHandle_t h, int n, T* const a[], int lda,    \
                                                int* pivots, int* infos, int count) {              \
        return decompose_all(h, n, a, lda, pivots, infos, count);                                  \
    }                                                                                              \
    cublasStatus_t cublas##letter##getriBatched(cublasHandle_t h, int n, const T* const a[],       \
                                                int lda, const int* pivots, T* const c[], int ldc, \
                                                int* infos, int count) {                           \
        return invert_all(h, n, a, lda, pivots, c, ldc, infos, count);                             \
    }                                                                                              \
    cublasStatus_t cublas##letter##getrsBatched(                                                   \
        cublasHandle_t h, cublasOperation_t op, int n, int columns, const T* const a[], int lda,   \
        const int* pivots, T* const b[], int ldb, int* info, int count) {                          \
        return solve_all(h, op, n, columns, a, lda, pivots, b, ldb, info, count);                  \
    }
CUSET_HOST_BLAS(float, S, s)
CUSET_HOST_BLAS(double, D, d)
#undef CUSET_HOST_BLAS

#define CUSET_HOST_BLAS(T, C, letter, norm)                                                       \
    cublasStatus_t cublas##letter##gemm_v2(                                                       \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,        \
        const C* alpha, const C* a, int lda, const C* b, int ldb, const C* beta, C* c, int ldc) { \
        return complex_products<T>(h, ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, \
                                   0, 1);                                                         \
    }                                                                                             \
    cublasStatus_t cublas##letter##gemmStridedBatched(                                            \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,        \
        const C* alpha, const C* a, int lda, long long step_a, const C* b, int ldb,               \
        long long step_b, const C* beta, C* c, int ldc, long long step_c, int count) {            \
        return complex_products<T>(h, ta, tb, m, n, k, alpha, a, lda, step_a, b, ldb, step_b,     \
                                   beta, c, ldc, step_c, count);                                  \
    }                                                                                             \
    cublasStatus_t cublas##letter##axpy_v2(cublasHandle_t h, int n, const C* alpha, const C* x,   \
                                           int step_x, C* y, int step_y) {                        \
        using Z = number_of<T>;                                                                   \
        return each_complex<C>(h, n, step_x, step_y, [&](std::ptrdiff_t i, std::ptrdiff_t j) {    \
            reinterpret_cast<Z*>(y)[j] +=                                                         \
                *reinterpret_cast<const Z*>(alpha) * reinterpret_cast<const Z*>(x)[i];            \
        });                                                                                       \
    }                                                                                             \
    cublasStatus_t cublas##letter##scal_v2(cublasHandle_t h, int n, const C* alpha, C* x,         \
                                           int step) {                                            \
        using Z = number_of<T>;                                                                   \
        return each_complex<C>(h, n, step, 1, [&](std::ptrdiff_t i, std::ptrdiff_t) {             \
            reinterpret_cast<Z*>(x)[i] *= *reinterpret_cast<const Z*>(alpha);                     \
        });                                                                                       \
    }                                                                                             \
    cublasStatus_t cublas##letter##dotc_v2(cublasHandle_t h, int n, const C* x, int step_x,       \
                                           const C* y, int step_y, C* result) {                   \
        using Z = number_of<T>;                                                                   \
        std::complex<double> sum = 0;                                                             \
        const auto done =                                                                         \
            each_complex<C>(h, n, step_x, step_y, [&](std::ptrdiff_t i, std::ptrdiff_t j) {       \
                sum += std::complex<double>(std::conj(reinterpret_cast<const Z*>(x)[i]) *         \
                                            reinterpret_cast<const Z*>(y)[j]);                    \
            });                                                                                   \
        if (done != CUBLAS_STATUS_SUCCESS) return done;                                           \
        const library_kernel running(h->stream);                                                  \
        *result = {static_cast<T>(sum.real()), static_cast<T>(sum.imag())};                       \
        return done;                                                                              \
    }                                                                                             \
    cublasStatus_t cublas##letter##dotu_v2(cublasHandle_t h, int n, const C* x, int step_x,       \
                                           const C* y, int step_y, C* result) {                   \
        using Z = number_of<T>;                                                                   \
        std::complex<double> sum = 0;                                                             \
        const auto done =                                                                         \
            each_complex<C>(h, n, step_x, step_y, [&](std::ptrdiff_t i, std::ptrdiff_t j) {       \
                sum += std::complex<double>(reinterpret_cast<const Z*>(x)[i] *                    \
                                            reinterpret_cast<const Z*>(y)[j]);                    \
            });                                                                                   \
        if (done != CUBLAS_STATUS_SUCCESS) return done;                                           \
        const library_kernel running(h->stream);                                                  \
        *result = {static_cast<T>(sum.real()), static_cast<T>(sum.imag())};                       \
        return done;                                                                              \
    }                                                                                             \
    cublasStatus_t cublas##norm##nrm2_v2(cublasHandle_t h, int n, const C* x, int step,           \
                                         T* result) {                                             \
        double sum = 0;                                                                           \
        const auto done = each_complex<C>(h, n, step, 1, [&](std::ptrdiff_t i, std::ptrdiff_t) {  \
            sum += static_cast<double>(x[i].x) * x[i].x + static_cast<double>(x[i].y) * x[i].y;   \
        });                                                                                       \
        if (done != CUBLAS_STATUS_SUCCESS) return done;                                           \
        const library_kernel running(h->stream);                                                  \
        *result = static_cast<T>(std::sqrt(sum));                                                 \
        return done;                                                                              \
    }
CUSET_HOST_BLAS(float, cuComplex, C, Sc)
CUSET_HOST_BLAS(double, cuDoubleComplex, Z, Dz)
#undef CUSET_HOST_BLAS

}  // extern "C"

#endif
