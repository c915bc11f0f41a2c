// cuSOLVER's QR, what it is for, and solutions of whole systems in one call.
#include "cuset_host/cuda_types.h"
#include "handle.h"

using namespace cuset_host;

namespace {

/// C becomes op(Q) C or C op(Q), m x n, for k reflectors.
template <class T>
std::ptrdiff_t times_q(cublasSideMode_t side, cublasOperation_t op, int m, int n, int k, const T* a,
                       int lda, const T* tau, T* c, int ldc) {
    const matrix<const T> q{a, lda};
    const matrix<T> to{c, ldc};
    const bool adjoint = op != CUBLAS_OP_N;
    if (side == CUBLAS_SIDE_LEFT) {
        for (int j = 0; j < n; ++j) apply_q(q, tau, m, k, to.column(j), adjoint);
        return 0;
    }
    // A row r becomes r Q: its adjoint, Q^H r^H.
    std::vector<T> row(static_cast<std::size_t>(n));
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) row[static_cast<std::size_t>(j)] = conjugate(to(i, j));
        apply_q(q, tau, n, k, row.data(), !adjoint);
        for (int j = 0; j < n; ++j) to(i, j) = conjugate(row[static_cast<std::size_t>(j)]);
    }
    return 0;
}

/// The first n columns of Q, m x n, instead of its k reflectors.
template <class T>
std::ptrdiff_t write_out_q(int m, int n, int k, T* a, int lda, const T* tau) {
    const matrix<T> to{a, lda};
    full_matrix<T> reflectors(m, k);
    for (int j = 0; j < k; ++j) std::copy(to.column(j), to.column(j) + m, reflectors.column(j));
    for (int j = 0; j < n; ++j) {
        std::fill(to.column(j), to.column(j) + m, T(0));
        to(j, j) = T(1);
        apply_q<T>(reflectors.all(), tau, m, k, to.column(j), false);
    }
    return 0;
}

template <class T>
full_matrix<T> copied(const T* a, int lda, int m, int n) {
    full_matrix<T> copy(m, n);
    for (int j = 0; j < n; ++j)
        std::copy(a + std::ptrdiff_t{j} * lda, a + std::ptrdiff_t{j} * lda + m, copy.column(j));
    return copy;
}

/// X of A X = B by LU. A is left as it is, as by a solution that was refined.
template <class T>
std::ptrdiff_t solve_system(int n, int columns, const T* a, int lda, int* pivots, const T* b,
                            int ldb, T* x, int ldx) {
    full_matrix<T> copy = copied(a, lda, n, n);
    std::vector<int> own(static_cast<std::size_t>(n));
    int* const rows = pivots != nullptr ? pivots : own.data();
    if (const std::ptrdiff_t singular = decompose(copy.all(), n, n, rows); singular != 0)
        return singular;
    for (int j = 0; j < columns; ++j) {
        T* const to = x + std::ptrdiff_t{j} * ldx;
        const T* const from = b + std::ptrdiff_t{j} * ldb;
        if (to != from) std::copy(from, from + n, to);
        solve_decomposed<T>(copy.all(), rows, n, to, false, false);
    }
    return 0;
}

/// X, n rows, of the least squares of A X - B, m rows, by QR.
template <class T>
std::ptrdiff_t solve_least_squares(int m, int n, int columns, const T* a, int lda, const T* b,
                                   int ldb, T* x, int ldx) {
    full_matrix<T> copy = copied(a, lda, m, n);
    std::vector<T> tau(static_cast<std::size_t>(n)), column(static_cast<std::size_t>(m));
    decompose_qr(copy.all(), m, n, tau.data());
    for (int k = 0; k < n; ++k)
        if (copy(k, k) == T(0)) return k + 1;
    for (int j = 0; j < columns; ++j) {
        const T* const from = b + std::ptrdiff_t{j} * ldb;
        std::copy(from, from + m, column.begin());
        apply_q<T>(copy.all(), tau.data(), m, n, column.data(), true);
        solve_triangle<T>(copy.all(), false, false, false, false, n, column.data(), 1);
        std::copy(column.begin(), column.begin() + n, x + std::ptrdiff_t{j} * ldx);
    }
    return 0;
}

template <class T>
cusolverStatus_t solve_in_one(cusolverDnHandle_t h, int n, int columns, T* a, int lda, int* pivots,
                              T* b, int ldb, T* x, int ldx, int* iterations, int* info) {
    const bool wrong = is_bad(n, columns, lda) || is_smaller(ldb, n) || is_smaller(ldx, n) ||
                       iterations == nullptr;
    if (!wrong) *iterations = 0;
    return solve_on_device(
        h, wrong, info, [&] { return solve_system(n, columns, a, lda, pivots, b, ldb, x, ldx); });
}
template <class T>
cusolverStatus_t fit_in_one(cusolverDnHandle_t h, int m, int n, int columns, T* a, int lda, T* b,
                            int ldb, T* x, int ldx, int* iterations, int* info) {
    const bool wrong = m < n || n < 0 || columns < 0 || is_smaller(lda, m) || is_smaller(ldb, m) ||
                       is_smaller(ldx, n) || iterations == nullptr;
    if (!wrong) *iterations = 0;
    return solve_on_device(
        h, wrong, info, [&] { return solve_least_squares(m, n, columns, a, lda, b, ldb, x, ldx); });
}
cusolverStatus_t tell_bytes(cusolverDnHandle_t h, std::size_t* bytes) {
    return h == nullptr ? CUSOLVER_STATUS_NOT_INITIALIZED : give<cusolverStatus_t>(bytes, 256);
}

}  // namespace

extern "C" {

#define CUSET_HOST_SOLVER(T, letter, unitary)                                                      \
    cusolverStatus_t cusolverDn##letter##geqrf_bufferSize(cusolverDnHandle_t h, int m, int n, T*,  \
                                                          int lda, int* size) {                    \
        return is_bad(m, n, lda) ? CUSOLVER_STATUS_INVALID_VALUE : give_size(h, size, n);          \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##geqrf(cusolverDnHandle_t h, int m, int n, T* a, int lda,  \
                                               T* tau, T*, int, int* info) {                       \
        return solve_on_device(h, is_bad(m, n, lda), info, [&] {                                   \
            decompose_qr(in_columns(numbers(a), lda), m, n, numbers(tau));                         \
            return 0;                                                                              \
        });                                                                                        \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##unitary##gqr_bufferSize(                                  \
        cusolverDnHandle_t h, int m, int n, int k, const T*, int lda, const T*, int* size) {       \
        if (n < 0 || m < n || k < 0 || k > n || is_smaller(lda, m))                                \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                  \
        return give_size(h, size, n);                                                              \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##unitary##gqr(cusolverDnHandle_t h, int m, int n, int k,   \
                                                      T* a, int lda, const T* tau, T*, int,        \
                                                      int* info) {                                 \
        return solve_on_device(                                                                    \
            h, n < 0 || m < n || k < 0 || k > n || is_smaller(lda, m), info,                       \
            [&] { return write_out_q(m, n, k, numbers(a), lda, numbers(tau)); });                  \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##unitary##mqr_bufferSize(                                  \
        cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t, int m, int n, int k,       \
        const T*, int lda, const T*, const T*, int ldc, int* size) {                               \
        const int rows = side == CUBLAS_SIDE_LEFT ? m : n;                                         \
        if (m < 0 || n < 0 || k < 0 || k > rows || is_smaller(lda, rows) || is_smaller(ldc, m))    \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                  \
        return give_size(h, size, m + n - rows);                                                   \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##unitary##mqr(                                             \
        cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t op, int m, int n, int k,    \
        const T* a, int lda, const T* tau, T* c, int ldc, T*, int, int* info) {                    \
        const int rows = side == CUBLAS_SIDE_LEFT ? m : n;                                         \
        return solve_on_device(                                                                    \
            h, m < 0 || n < 0 || k < 0 || k > rows || is_smaller(lda, rows) || is_smaller(ldc, m), \
            info, [&] {                                                                            \
                return times_q(side, op, m, n, k, numbers(a), lda, numbers(tau), numbers(c), ldc); \
            });                                                                                    \
    }
CUSET_HOST_SOLVER(float, S, or)
CUSET_HOST_SOLVER(double, D, or)
CUSET_HOST_SOLVER(cuComplex, C, un)
CUSET_HOST_SOLVER(cuDoubleComplex, Z, un)
#undef CUSET_HOST_SOLVER

// Systems in one call: the second letter is the precision that a GPU starts with. It refines the
// solution to that of the first letter, in which all is computed here.
#define CUSET_HOST_SOLVER(T, letters)                                                              \
    cusolverStatus_t cusolverDn##letters##gesv_bufferSize(                                         \
        cusolverDnHandle_t h, int, int, T*, int, int*, T*, int, T*, int, void*, size_t* bytes) {   \
        return tell_bytes(h, bytes);                                                               \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letters##gesv(cusolverDnHandle_t h, int n, int columns, T* a,     \
                                               int lda, int* pivots, T* b, int ldb, T* x, int ldx, \
                                               void*, size_t, int* iterations, int* info) {        \
        return solve_in_one(h, n, columns, numbers(a), lda, pivots, numbers(b), ldb, numbers(x),   \
                            ldx, iterations, info);                                                \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letters##gels_bufferSize(                                         \
        cusolverDnHandle_t h, int, int, int, T*, int, T*, int, T*, int, void*, size_t* bytes) {    \
        return tell_bytes(h, bytes);                                                               \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letters##gels(cusolverDnHandle_t h, int m, int n, int columns,    \
                                               T* a, int lda, T* b, int ldb, T* x, int ldx, void*, \
                                               size_t, int* iterations, int* info) {               \
        return fit_in_one(h, m, n, columns, numbers(a), lda, numbers(b), ldb, numbers(x), ldx,     \
                          iterations, info);                                                       \
    }
CUSET_HOST_SOLVER(float, SS)
CUSET_HOST_SOLVER(float, SH)
CUSET_HOST_SOLVER(float, SB)
CUSET_HOST_SOLVER(float, SX)
CUSET_HOST_SOLVER(double, DD)
CUSET_HOST_SOLVER(double, DS)
CUSET_HOST_SOLVER(double, DH)
CUSET_HOST_SOLVER(double, DB)
CUSET_HOST_SOLVER(double, DX)
CUSET_HOST_SOLVER(cuComplex, CC)
CUSET_HOST_SOLVER(cuComplex, CK)
CUSET_HOST_SOLVER(cuComplex, CE)
CUSET_HOST_SOLVER(cuComplex, CY)
CUSET_HOST_SOLVER(cuDoubleComplex, ZZ)
CUSET_HOST_SOLVER(cuDoubleComplex, ZC)
CUSET_HOST_SOLVER(cuDoubleComplex, ZK)
CUSET_HOST_SOLVER(cuDoubleComplex, ZE)
CUSET_HOST_SOLVER(cuDoubleComplex, ZY)
#undef CUSET_HOST_SOLVER

}  // extern "C"
