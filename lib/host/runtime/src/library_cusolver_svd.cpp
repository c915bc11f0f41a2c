// cuSOLVER's singular value decompositions.
#include "cuset_host/cuda_types.h"

#if CUSET_HOST_TOOLKIT && __has_include(<cusolverDn.h>)

#include "library_cusolver.h"

using namespace cuset_host;

namespace {

bool is_bad(int m, int n, int lda) { return m < 0 || n < 0 || is_smaller(lda, m); }

/// U and V in full, or the columns that belong to singular values.
template <class T>
singular_places<T> places_of(cusolverEigMode_t mode, bool economic, int m, int n,
                             real_of<T>* values, T* u, int ldu, T* v, int ldv) {
    const bool with_vectors = mode == CUSOLVER_EIG_MODE_VECTOR;
    const int least = std::min(m, n);
    return {values,
            u,
            ldu,
            !with_vectors ? 0
            : economic    ? least
                          : m,
            v,
            ldv,
            !with_vectors ? 0
            : economic    ? least
                          : n,
            false};
}

}  // namespace

extern "C" {

cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t* info) {
    if (info == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    *info = new gesvdjInfo;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t info) {
    delete info;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXgesvdjSetTolerance(gesvdjInfo_t info, double tolerance) {
    info->tolerance = tolerance;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXgesvdjSetMaxSweeps(gesvdjInfo_t info, int sweeps) {
    info->most_sweeps = sweeps;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXgesvdjSetSortEig(gesvdjInfo_t info, int sorts) {
    info->sorts = sorts;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXgesvdjGetResidual(cusolverDnHandle_t h, gesvdjInfo_t info,
                                              double* residual) {
    if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
    *residual = info->residual;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXgesvdjGetSweeps(cusolverDnHandle_t h, gesvdjInfo_t info, int* sweeps) {
    if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
    *sweeps = info->sweeps;
    return CUSOLVER_STATUS_SUCCESS;
}

#define CUSET_HOST_SOLVER(T, R, letter)                                                            \
    cusolverStatus_t cusolverDn##letter##gesvd_bufferSize(cusolverDnHandle_t h, int m, int n,      \
                                                          int* size) {                             \
        return m < n || n < 0 ? CUSOLVER_STATUS_INVALID_VALUE : tell_size(h, size, m);             \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##gesvd(                                                    \
        cusolverDnHandle_t h, signed char of_u, signed char of_v, int m, int n, T* a, int lda,     \
        R* values, T* u, int ldu, T* v, int ldv, T*, int, R*, int* info) {                         \
        return solve_on_device(                                                                    \
            h, m < n || is_bad(m, n, lda) || !are_letters(of_u, of_v), info, [&] {                 \
                return singular_by_letters(of_u, of_v, m, n, numbers(a), lda, values, numbers(u),  \
                                           ldu, numbers(v), ldv);                                  \
            });                                                                                    \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##gesvdj_bufferSize(                                        \
        cusolverDnHandle_t h, cusolverEigMode_t, int, int m, int n, const T*, int lda, const R*,   \
        const T*, int, const T*, int, int* size, gesvdjInfo_t) {                                   \
        return is_bad(m, n, lda) ? CUSOLVER_STATUS_INVALID_VALUE : tell_size(h, size, m);          \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##gesvdj(                                                   \
        cusolverDnHandle_t h, cusolverEigMode_t mode, int economic, int m, int n, T* a, int lda,   \
        R* values, T* u, int ldu, T* v, int ldv, T*, int, int* info, gesvdjInfo_t params) {        \
        if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;                               \
        params->sweeps = 1;                                                                        \
        return solve_on_device(h, is_bad(m, n, lda), info, [&] {                                   \
            return singular_decomposition(                                                         \
                m, n, numbers(a), lda,                                                             \
                places_of(mode, economic != 0, m, n, values, numbers(u), ldu, numbers(v), ldv));   \
        });                                                                                        \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##gesvdjBatched_bufferSize(                                 \
        cusolverDnHandle_t h, cusolverEigMode_t, int m, int n, const T*, int lda, const R*,        \
        const T*, int, const T*, int, int* size, gesvdjInfo_t, int) {                              \
        return is_bad(m, n, lda) ? CUSOLVER_STATUS_INVALID_VALUE : tell_size(h, size, m);          \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##gesvdjBatched(                                            \
        cusolverDnHandle_t h, cusolverEigMode_t mode, int m, int n, T* a, int lda, R* values,      \
        T* u, int ldu, T* v, int ldv, T*, int, int* infos, gesvdjInfo_t params, int count) {       \
        return solve_on_device(                                                                    \
            h, is_bad(m, n, lda) || params == nullptr || count < 0, static_cast<int*>(nullptr),    \
            [&] {                                                                                  \
                for (std::ptrdiff_t i = 0; i < count; ++i)                                         \
                    infos[i] = static_cast<int>(singular_decomposition(                            \
                        m, n, numbers(a) + i * n * lda, lda,                                       \
                        places_of(mode, false, m, n, values + i * std::min(m, n),                  \
                                  numbers(u) + i * m * ldu, ldu, numbers(v) + i * n * ldv, ldv))); \
                return 0;                                                                          \
            });                                                                                    \
    }
CUSET_HOST_SOLVER(float, float, S)
CUSET_HOST_SOLVER(double, double, D)
CUSET_HOST_SOLVER(cuComplex, float, C)
CUSET_HOST_SOLVER(cuDoubleComplex, double, Z)
#undef CUSET_HOST_SOLVER

}  // extern "C"

#endif
