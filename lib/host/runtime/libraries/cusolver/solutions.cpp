// cuSOLVER's handles, and solutions by LU and by Cholesky's decomposition. Calls that are missing
// here and beside are named by the linker. Empty on machines without the toolkit's headers.
#include "cuset_host/cuda_types.h"

#if __has_include(<cusolverDn.h>)

#include "handle.h"

using namespace cuset_host;

namespace {

/// The inverse, in one triangle, from what decompose_positive() left in it.
template <class T>
std::ptrdiff_t invert_positive(const matrix<T>& a, bool is_lower, std::ptrdiff_t n) {
    for (std::ptrdiff_t k = 0; k < n; ++k)
        if (a(k, k) == T(0)) return k + 1;
    full_matrix<T> all(n, n);
    for (std::ptrdiff_t j = 0; j < n; ++j) {
        all(j, j) = T(1);
        solve_positive<T>(a, is_lower, n, all.column(j));
    }
    for (std::ptrdiff_t j = 0; j < n; ++j)
        for (std::ptrdiff_t i = 0; i < n; ++i)
            if (is_lower ? i >= j : i <= j) a(i, j) = all(i, j);
    return 0;
}

/// Exchanges rows as LU did, from pivot `first` to `last`, from 1, or back where step is negative.
template <class T>
void exchange_rows(const matrix<T>& a, int n, int first, int last, const int* pivots, int step) {
    const int apart = std::abs(step);
    for (int count = 0; count <= last - first; ++count) {
        const int k = step > 0 ? first + count : last - count;
        const int other = pivots[(first - 1) + (k - first) * apart];
        for (int j = 0; j < n && other != k; ++j) std::swap(a(k - 1, j), a(other - 1, j));
    }
}

}  // namespace

extern "C" {

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* h) {
    if (h == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    *h = new cusolverDnContext;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t h) {
    if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
    delete h;
    return CUSOLVER_STATUS_SUCCESS;
}

#define CUSET_HOST_JACOBI(Name, name)                                                        \
    cusolverStatus_t cusolverDnCreate##Name##Info(name##Info_t* info) {                      \
        if (info == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;                           \
        *info = new name##Info;                                                              \
        return CUSOLVER_STATUS_SUCCESS;                                                      \
    }                                                                                        \
    cusolverStatus_t cusolverDnDestroy##Name##Info(name##Info_t info) {                      \
        delete info;                                                                         \
        return CUSOLVER_STATUS_SUCCESS;                                                      \
    }                                                                                        \
    cusolverStatus_t cusolverDnX##name##SetTolerance(name##Info_t info, double) {            \
        return info == nullptr ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_SUCCESS;    \
    }                                                                                        \
    cusolverStatus_t cusolverDnX##name##SetMaxSweeps(name##Info_t info, int) {               \
        return info == nullptr ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_SUCCESS;    \
    }                                                                                        \
    cusolverStatus_t cusolverDnX##name##SetSortEig(name##Info_t info, int) {                 \
        return info == nullptr ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_SUCCESS;    \
    }                                                                                        \
    cusolverStatus_t cusolverDnX##name##GetResidual(cusolverDnHandle_t h, name##Info_t info, \
                                                    double* residual) {                      \
        if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;                            \
        if (info == nullptr || residual == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;    \
        *residual = info->residual;                                                          \
        return CUSOLVER_STATUS_SUCCESS;                                                      \
    }                                                                                        \
    cusolverStatus_t cusolverDnX##name##GetSweeps(cusolverDnHandle_t h, name##Info_t info,   \
                                                  int* sweeps) {                             \
        if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;                            \
        if (info == nullptr || sweeps == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;      \
        *sweeps = info->sweeps;                                                              \
        return CUSOLVER_STATUS_SUCCESS;                                                      \
    }
CUSET_HOST_JACOBI(Syevj, syevj)
CUSET_HOST_JACOBI(Gesvdj, gesvdj)
#undef CUSET_HOST_JACOBI

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t h, cudaStream_t stream) {
    if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
    h->stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t h, cudaStream_t* stream) {
    if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (stream == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    *stream = h->stream;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetDeterministicMode(cusolverDnHandle_t h,
                                                cusolverDeterministicMode_t mode) {
    if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
    h->determinism = mode;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnGetDeterministicMode(cusolverDnHandle_t h,
                                                cusolverDeterministicMode_t* mode) {
    if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (mode == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    *mode = h->determinism;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverGetVersion(int* version) {
    if (version == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    *version = CUSOLVER_VERSION;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params) {
    if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    *params = new cusolverDnParams;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) {
    delete params;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t,
                                         cusolverAlgMode_t) {
    return params == nullptr ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_SUCCESS;
}

#define CUSET_HOST_SOLVER(T, letter)                                                               \
    cusolverStatus_t cusolverDn##letter##getrf_bufferSize(cusolverDnHandle_t h, int m, int n, T*,  \
                                                          int lda, int* size) {                    \
        if (m < 0 || n < 0 || is_smaller(lda, m)) return CUSOLVER_STATUS_INVALID_VALUE;            \
        return tell_size(h, size, m);                                                              \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##getrf(cusolverDnHandle_t h, int m, int n, T* a, int lda,  \
                                               T*, int* pivots, int* info) {                       \
        return solve_on_device(h, m < 0 || n < 0 || is_smaller(lda, m), info,                      \
                               [&] { return lu(m, n, numbers(a), lda, pivots); });                 \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##getrs(cusolverDnHandle_t h, cublasOperation_t op, int n,  \
                                               int columns, const T* a, int lda,                   \
                                               const int* pivots, T* b, int ldb, int* info) {      \
        return solve_on_device(                                                                    \
            h, n < 0 || columns < 0 || is_smaller(lda, n) || is_smaller(ldb, n), info, [&] {       \
                return lu_solutions(op, n, columns, numbers(a), lda, pivots, numbers(b), ldb);     \
            });                                                                                    \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##laswp(cusolverDnHandle_t h, int n, T* a, int lda,         \
                                               int first, int last, const int* pivots, int step) { \
        return solve_on_device(                                                                    \
            h, n < 0 || first < 1 || last < first || step == 0, static_cast<int*>(nullptr), [&] {  \
                exchange_rows(in_columns(numbers(a), lda), n, first, last, pivots, step);          \
                return 0;                                                                          \
            });                                                                                    \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##potrf_bufferSize(cusolverDnHandle_t h, cublasFillMode_t,  \
                                                          int n, T*, int lda, int* size) {         \
        if (n < 0 || is_smaller(lda, n)) return CUSOLVER_STATUS_INVALID_VALUE;                     \
        return tell_size(h, size, n);                                                              \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##potrf(cusolverDnHandle_t h, cublasFillMode_t fill, int n, \
                                               T* a, int lda, T*, int, int* info) {                \
        return solve_on_device(h, n < 0 || is_smaller(lda, n), info, [&] {                         \
            return decompose_positive(in_columns(numbers(a), lda), fill == CUBLAS_FILL_MODE_LOWER, \
                                      n);                                                          \
        });                                                                                        \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##potrs(cusolverDnHandle_t h, cublasFillMode_t fill, int n, \
                                               int columns, const T* a, int lda, T* b, int ldb,    \
                                               int* info) {                                        \
        return solve_on_device(                                                                    \
            h, n < 0 || columns < 0 || is_smaller(lda, n) || is_smaller(ldb, n), info, [&] {       \
                return positive_solutions(fill, n, columns, numbers(a), lda, numbers(b), ldb);     \
            });                                                                                    \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##potri_bufferSize(cusolverDnHandle_t h, cublasFillMode_t,  \
                                                          int n, T*, int lda, int* size) {         \
        if (n < 0 || is_smaller(lda, n)) return CUSOLVER_STATUS_INVALID_VALUE;                     \
        return tell_size(h, size, n);                                                              \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##potri(cusolverDnHandle_t h, cublasFillMode_t fill, int n, \
                                               T* a, int lda, T*, int, int* info) {                \
        return solve_on_device(h, n < 0 || is_smaller(lda, n), info, [&] {                         \
            return invert_positive(in_columns(numbers(a), lda), fill == CUBLAS_FILL_MODE_LOWER,    \
                                   n);                                                             \
        });                                                                                        \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##potrfBatched(cusolverDnHandle_t h, cublasFillMode_t fill, \
                                                      int n, T* a[], int lda, int* infos,          \
                                                      int count) {                                 \
        return solve_on_device(                                                                    \
            h, n < 0 || is_smaller(lda, n) || count < 0, static_cast<int*>(nullptr), [&] {         \
                for (int i = 0; i < count; ++i)                                                    \
                    infos[i] = static_cast<int>(decompose_positive(                                \
                        in_columns(numbers(a[i]), lda), fill == CUBLAS_FILL_MODE_LOWER, n));       \
                return 0;                                                                          \
            });                                                                                    \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##potrsBatched(cusolverDnHandle_t h, cublasFillMode_t fill, \
                                                      int n, int columns, T* a[], int lda, T* b[], \
                                                      int ldb, int* info, int count) {             \
        return solve_on_device(                                                                    \
            h, n < 0 || columns < 0 || is_smaller(lda, n) || is_smaller(ldb, n) || count < 0,      \
            info, [&] {                                                                            \
                for (int i = 0; i < count; ++i)                                                    \
                    positive_solutions(fill, n, columns, numbers(a[i]), lda, numbers(b[i]), ldb);  \
                return 0;                                                                          \
            });                                                                                    \
    }
CUSET_HOST_SOLVER(float, S)
CUSET_HOST_SOLVER(double, D)
CUSET_HOST_SOLVER(cuComplex, C)
CUSET_HOST_SOLVER(cuDoubleComplex, Z)
#undef CUSET_HOST_SOLVER

}  // extern "C"

#endif
