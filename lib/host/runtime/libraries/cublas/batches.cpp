// cuBLAS's decompositions of many small matrices: LU, inverses, QR and least squares.
#include "cuset_host/cuda_types.h"
#include "handle.h"

using namespace cuset_host;

namespace {

/// What a call reports of its arguments: the number of the first that is wrong, or 0.
int first_wrong(std::initializer_list<std::pair<bool, int>> all) {
    for (const auto& [is_wrong, number] : all)
        if (is_wrong) return number;
    return 0;
}

template <class T>
cublasStatus_t decompose_all(cublasHandle_t h, int n, T* const a[], int lda, int* pivots,
                             int* infos, int count) {
    return run(h, n < 0 || is_smaller(lda, n) || count < 0, [&] {
        for (std::ptrdiff_t i = 0; i < count; ++i)
            infos[i] = static_cast<int>(decompose(matrix<T>{a[i], lda}, n, n,
                                                  pivots == nullptr ? nullptr : pivots + i * n));
    });
}

/// The inverse from what decompose() left. Returns the first pivot that is 0, or 0.
template <class T>
int invert(const matrix<const T>& from, const int* pivots, int n, const matrix<T>& to) {
    for (int k = 0; k < n; ++k)
        if (from(k, k) == T(0)) return k + 1;
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) to(i, j) = i == j ? T(1) : T(0);
        solve_decomposed(from, pivots, n, to.column(j), false, false);
    }
    return 0;
}
template <class T>
cublasStatus_t invert_all(cublasHandle_t h, int n, const T* const a[], int lda, const int* pivots,
                          T* const c[], int ldc, int* infos, int count) {
    return run(h, n < 0 || is_smaller(lda, n) || is_smaller(ldc, n) || count < 0, [&] {
        for (std::ptrdiff_t b = 0; b < count; ++b)
            infos[b] =
                invert(matrix<const T>{a[b], lda}, pivots == nullptr ? nullptr : pivots + b * n, n,
                       matrix<T>{c[b], ldc});
    });
}
/// Decomposition and inverse in one call, of at most 32 rows. A is not changed.
template <class T>
cublasStatus_t invert_small(cublasHandle_t h, int n, const T* const a[], int lda, T* const c[],
                            int ldc, int* infos, int count) {
    return run(h, n < 0 || n > 32 || is_smaller(lda, n) || is_smaller(ldc, n) || count < 0, [&] {
        full_matrix<T> copy(n, n);
        std::vector<int> pivots(static_cast<std::size_t>(n));
        for (int b = 0; b < count; ++b) {
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < n; ++i) copy(i, j) = matrix<const T>{a[b], lda}(i, j);
            infos[b] = static_cast<int>(decompose(copy.all(), n, n, pivots.data()));
            if (infos[b] == 0)
                infos[b] =
                    invert(std::as_const(copy).all(), pivots.data(), n, matrix<T>{c[b], ldc});
        }
    });
}
template <class T>
cublasStatus_t solve_all(cublasHandle_t h, cublasOperation_t op, int n, int columns,
                         const T* const a[], int lda, const int* pivots, T* const b[], int ldb,
                         int* info, int count) {
    const int wrong = first_wrong({{n < 0, -3},
                                   {columns < 0, -4},
                                   {is_smaller(lda, n), -6},
                                   {count < 0, -11},
                                   {is_smaller(ldb, n), -9}});
    if (h != nullptr) *info = wrong;
    return run(h, wrong != 0, [&] {
        for (std::ptrdiff_t i = 0; i < count; ++i)
            for (std::ptrdiff_t j = 0; j < columns; ++j)
                solve_decomposed(matrix<const T>{a[i], lda},
                                 pivots == nullptr ? nullptr : pivots + i * n, n, b[i] + j * ldb,
                                 op != CUBLAS_OP_N, op == CUBLAS_OP_C);
    });
}

template <class T>
cublasStatus_t decompose_all_qr(cublasHandle_t h, int m, int n, T* const a[], int lda,
                                T* const tau[], int* info, int count) {
    const int wrong =
        first_wrong({{m < 0, -2}, {n < 0, -3}, {count < 0, -8}, {is_smaller(lda, m), -5}});
    if (h != nullptr) *info = wrong;
    return run(h, wrong != 0, [&] {
        for (int i = 0; i < count; ++i) decompose_qr(matrix<T>{a[i], lda}, m, n, tau[i]);
    });
}

/// The least squares of A x - c, for m >= n: the solutions are the first n rows of C, and A is left
/// as QR. Not transposed, as cuBLAS has it.
template <class T>
cublasStatus_t least_squares(cublasHandle_t h, cublasOperation_t op, int m, int n, int columns,
                             T* const a[], int lda, T* const c[], int ldc, int* info, int* infos,
                             int count) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (op != CUBLAS_OP_N || m < n) return CUBLAS_STATUS_NOT_SUPPORTED;
    const int wrong = first_wrong({{n < 0, -4},
                                   {columns < 0, -5},
                                   {is_smaller(lda, m), -7},
                                   {count < 0, -12},
                                   {is_smaller(ldc, m), -9}});
    *info = wrong;
    return run(h, wrong != 0, [&] {
        std::vector<T> tau(static_cast<std::size_t>(n));
        for (int b = 0; b < count; ++b) {
            const matrix<T> own{a[b], lda};
            decompose_qr(own, m, n, tau.data());
            int singular = 0;
            for (int k = n; k-- > 0;)
                if (own(k, k) == T(0)) singular = k + 1;
            if (infos != nullptr) infos[b] = singular;
            if (singular != 0) continue;
            for (std::ptrdiff_t j = 0; j < columns; ++j) {
                T* const x = c[b] + j * ldc;
                apply_q<T>(own, tau.data(), m, n, x, true);
                solve_triangle<T>(own, false, false, false, false, n, x, 1);
            }
        }
    });
}

}  // namespace

extern "C" {

#define CUSET_HOST_BLAS(T, letter)                                                                 \
    cublasStatus_t cublas##letter##getrfBatched(cublasHandle_t h, int n, T* const a[], int lda,    \
                                                int* pivots, int* infos, int count) {              \
        return decompose_all(h, n, lists(a), lda, pivots, infos, count);                           \
    }                                                                                              \
    cublasStatus_t cublas##letter##getriBatched(cublasHandle_t h, int n, const T* const a[],       \
                                                int lda, const int* pivots, T* const c[], int ldc, \
                                                int* infos, int count) {                           \
        return invert_all(h, n, lists(a), lda, pivots, lists(c), ldc, infos, count);               \
    }                                                                                              \
    cublasStatus_t cublas##letter##matinvBatched(cublasHandle_t h, int n, const T* const a[],      \
                                                 int lda, T* const c[], int ldc, int* infos,       \
                                                 int count) {                                      \
        return invert_small(h, n, lists(a), lda, lists(c), ldc, infos, count);                     \
    }                                                                                              \
    cublasStatus_t cublas##letter##getrsBatched(                                                   \
        cublasHandle_t h, cublasOperation_t op, int n, int columns, const T* const a[], int lda,   \
        const int* pivots, T* const b[], int ldb, int* info, int count) {                          \
        return solve_all(h, op, n, columns, lists(a), lda, pivots, lists(b), ldb, info, count);    \
    }                                                                                              \
    cublasStatus_t cublas##letter##geqrfBatched(cublasHandle_t h, int m, int n, T* const a[],      \
                                                int lda, T* const tau[], int* info, int count) {   \
        return decompose_all_qr(h, m, n, lists(a), lda, lists(tau), info, count);                  \
    }                                                                                              \
    cublasStatus_t cublas##letter##gelsBatched(                                                    \
        cublasHandle_t h, cublasOperation_t op, int m, int n, int columns, T* const a[], int lda,  \
        T* const c[], int ldc, int* info, int* infos, int count) {                                 \
        return least_squares(h, op, m, n, columns, lists(a), lda, lists(c), ldc, info, infos,      \
                             count);                                                               \
    }
CUSET_HOST_BLAS(float, S)
CUSET_HOST_BLAS(double, D)
CUSET_HOST_BLAS(cuComplex, C)
CUSET_HOST_BLAS(cuDoubleComplex, Z)
#undef CUSET_HOST_BLAS

}  // extern "C"
