// cuSOLVER's singular value decompositions.
#include "cuset_host/cuda_types.h"
#include "handle.h"

using namespace cuset_host;

extern "C" {

#define CUSET_HOST_SOLVER(T, R, letter)                                                            \
    cusolverStatus_t cusolverDn##letter##gesvd_bufferSize(cusolverDnHandle_t h, int m, int n,      \
                                                          int* size) {                             \
        return m < n || n < 0 ? CUSOLVER_STATUS_INVALID_VALUE : give_size(h, size, m);             \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##gesvd(                                                    \
        cusolverDnHandle_t h, signed char of_u, signed char of_v, int m, int n, T* a, int lda,     \
        R* values, T* u, int ldu, T* v, int ldv, T*, int, R*, int* info) {                         \
        return solve_on_device(                                                                    \
            h, m < n || is_bad(m, n, lda) || !are_letters(of_u, of_v, m, n, ldu, ldv), info, [&] { \
                return singular_by_letters(of_u, of_v, m, n, numbers(a), lda, values, numbers(u),  \
                                           ldu, numbers(v), ldv);                                  \
            });                                                                                    \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##gesvdj_bufferSize(                                        \
        cusolverDnHandle_t h, cusolverEigMode_t, int, int m, int n, const T*, int lda, const R*,   \
        const T*, int, const T*, int, int* size, gesvdjInfo_t) {                                   \
        return is_bad(m, n, lda) ? CUSOLVER_STATUS_INVALID_VALUE : give_size(h, size, m);          \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##gesvdj(                                                   \
        cusolverDnHandle_t h, cusolverEigMode_t mode, int economic, int m, int n, T* a, int lda,   \
        R* values, T* u, int ldu, T* v, int ldv, T*, int, int* info, gesvdjInfo_t params) {        \
        if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;                               \
        params->sweeps = 1;                                                                        \
        return solve_on_device(                                                                    \
            h, is_bad(m, n, lda) || lack_room(mode, m, n, ldu, ldv), info, [&] {                   \
                return singular_decomposition(m, n, numbers(a), lda,                               \
                                              places_of(mode, economic != 0, m, n, values,         \
                                                        numbers(u), ldu, numbers(v), ldv));        \
            });                                                                                    \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##gesvdjBatched_bufferSize(                                 \
        cusolverDnHandle_t h, cusolverEigMode_t, int m, int n, const T*, int lda, const R*,        \
        const T*, int, const T*, int, int* size, gesvdjInfo_t, int) {                              \
        return is_bad(m, n, lda) ? CUSOLVER_STATUS_INVALID_VALUE : give_size(h, size, m);          \
    }                                                                                              \
    cusolverStatus_t cusolverDn##letter##gesvdjBatched(                                            \
        cusolverDnHandle_t h, cusolverEigMode_t mode, int m, int n, T* a, int lda, R* values,      \
        T* u, int ldu, T* v, int ldv, T*, int, int* infos, gesvdjInfo_t params, int count) {       \
        const bool is_wrong =                                                                      \
            is_bad(m, n, lda) || lack_room(mode, m, n, ldu, ldv) || params == nullptr;             \
        return solve_batch(h, is_wrong, infos, count, [&](std::ptrdiff_t i) {                      \
            return singular_decomposition(                                                         \
                m, n, numbers(a) + i * n * lda, lda,                                               \
                places_of(mode, false, m, n, values + i * std::min(m, n),                          \
                          numbers(u) + i * m * ldu, ldu, numbers(v) + i * n * ldv, ldv));          \
        });                                                                                        \
    }
CUSET_HOST_SOLVER(float, float, S)
CUSET_HOST_SOLVER(double, double, D)
CUSET_HOST_SOLVER(cuComplex, float, C)
CUSET_HOST_SOLVER(cuDoubleComplex, double, Z)
#undef CUSET_HOST_SOLVER

}  // extern "C"
