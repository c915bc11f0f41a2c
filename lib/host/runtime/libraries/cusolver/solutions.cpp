// cuSOLVER's handles, and solutions by LU and by Cholesky's decomposition. Calls that are missing
// here and beside are named by the linker.
#include "cuset_host/cuda_types.h"
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

template <class T>
cusolverStatus_t tell_of_run(cusolverDnHandle_t h, const jacobi_info* info, T jacobi_info::*member,
                             T* to) {
    if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (info == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    return give<cusolverStatus_t>(to, info->*member);
}

}  // namespace

extern "C" {

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* h) { return create<cusolverStatus_t>(h); }
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t h) { return destroy<cusolverStatus_t>(h); }
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params) {
    return create<cusolverStatus_t>(params);
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) {
    return destroy(params, CUSOLVER_STATUS_SUCCESS);
}
CUSET_HOST_SETTING(cusolverDn, Stream, cusolverStatus_t, cusolverDnHandle_t, cudaStream_t, stream)
CUSET_HOST_SETTING(cusolverDn, DeterministicMode, cusolverStatus_t, cusolverDnHandle_t,
                   cusolverDeterministicMode_t, determinism)
cusolverStatus_t cusolverGetVersion(int* version) {
    return give<cusolverStatus_t>(version, CUSOLVER_VERSION);
}

#define CUSET_HOST_JACOBI(Name, name)                                                        \
    cusolverStatus_t cusolverDnCreate##Name##Info(name##Info_t* info) {                      \
        return create<cusolverStatus_t>(info);                                               \
    }                                                                                        \
    cusolverStatus_t cusolverDnDestroy##Name##Info(name##Info_t info) {                      \
        return destroy(info, CUSOLVER_STATUS_SUCCESS);                                       \
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
        return tell_of_run(h, info, &jacobi_info::residual, residual);                       \
    }                                                                                        \
    cusolverStatus_t cusolverDnX##name##GetSweeps(cusolverDnHandle_t h, name##Info_t info,   \
                                                  int* sweeps) {                             \
        return tell_of_run(h, info, &jacobi_info::sweeps, sweeps);                           \
    }
CUSET_HOST_JACOBI(Syevj, syevj)
CUSET_HOST_JACOBI(Gesvdj, gesvdj)
#undef CUSET_HOST_JACOBI

cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t,
                                         cusolverAlgMode_t) {
    return params == nullptr ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_SUCCESS;
}

#define CUSET_HOST_SOLVER(T, letter)                                                               \
    cusolverStatus_t cusolverDn##letter##getrf_bufferSize(cusolverDnHandle_t h, int m, int n, T*,  \
                                                          int lda, int* size) {                    \
        return is_bad(m, n, lda) ? CUSOLVER_STATUS_INVALID_VALUE : give_size(h, size, m);          \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##getrf(cusolverDnHandle_t h, int m, int n, T* a, int lda,  \
                                               T*, int* pivots, int* info) {                       \
        return solve_on_device(h, is_bad(m, n, lda), info,                                         \
                               [&] { return lu(m, n, numbers(a), lda, pivots); });                 \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##getrs(cusolverDnHandle_t h, cublasOperation_t op, int n,  \
                                               int columns, const T* a, int lda,                   \
                                               const int* pivots, T* b, int ldb, int* info) {      \
        return solve_on_device(h, is_bad(n, columns, lda) || is_smaller(ldb, n), info, [&] {       \
            return lu_solutions(op, n, columns, numbers(a), lda, pivots, numbers(b), ldb);         \
        });                                                                                        \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##laswp(cusolverDnHandle_t h, int n, T* a, int lda,         \
                                               int first, int last, const int* pivots, int step) { \
        return run_on_device<cusolverStatus_t>(                                                    \
            h, n < 0 || first < 1 || last < first || step == 0,                                    \
            [&] { exchange_rows(in_columns(numbers(a), lda), n, first, last, pivots, step); });    \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##potrf_bufferSize(cusolverDnHandle_t h, cublasFillMode_t,  \
                                                          int n, T*, int lda, int* size) {         \
        return is_bad(n, lda) ? CUSOLVER_STATUS_INVALID_VALUE : give_size(h, size, n);             \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##potrf(cusolverDnHandle_t h, cublasFillMode_t fill, int n, \
                                               T* a, int lda, T*, int, int* info) {                \
        return solve_on_device(h, is_bad(n, lda), info,                                            \
                               [&] { return cholesky(fill, n, numbers(a), lda); });                \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##potrs(cusolverDnHandle_t h, cublasFillMode_t fill, int n, \
                                               int columns, const T* a, int lda, T* b, int ldb,    \
                                               int* info) {                                        \
        return solve_on_device(h, is_bad(n, columns, lda) || is_smaller(ldb, n), info, [&] {       \
            return positive_solutions(fill, n, columns, numbers(a), lda, numbers(b), ldb);         \
        });                                                                                        \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##potri_bufferSize(cusolverDnHandle_t h, cublasFillMode_t,  \
                                                          int n, T*, int lda, int* size) {         \
        return is_bad(n, lda) ? CUSOLVER_STATUS_INVALID_VALUE : give_size(h, size, n);             \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##potri(cusolverDnHandle_t h, cublasFillMode_t fill, int n, \
                                               T* a, int lda, T*, int, int* info) {                \
        return solve_on_device(h, is_bad(n, lda), info, [&] {                                      \
            return invert_positive(in_columns(numbers(a), lda), fill == CUBLAS_FILL_MODE_LOWER,    \
                                   n);                                                             \
        });                                                                                        \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##potrfBatched(cusolverDnHandle_t h, cublasFillMode_t fill, \
                                                      int n, T* a[], int lda, int* infos,          \
                                                      int count) {                                 \
        return solve_batch(h, is_bad(n, lda), infos, count, [&](std::ptrdiff_t i) {                \
            return cholesky(fill, n, numbers(a[i]), lda);                                          \
        });                                                                                        \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##potrsBatched(cusolverDnHandle_t h, cublasFillMode_t fill, \
                                                      int n, int columns, T* a[], int lda, T* b[], \
                                                      int ldb, int* info, int count) {             \
        return solve_on_device(                                                                    \
            h, is_bad(n, columns, lda) || is_smaller(ldb, n) || count < 0, info, [&] {             \
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
