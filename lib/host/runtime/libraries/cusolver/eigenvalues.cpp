// cuSOLVER's eigenvalues of symmetric and Hermitian matrices, alone, in pairs, and in batches.
#include "cuset_host/cuda_types.h"
#include "handle.h"

using namespace cuset_host;

namespace {

/// Eigenvalues of A x = l B x, A B x = l x or B A x = l x. B is left as Cholesky's decomposition;
/// where there is none, the result is n and the leading minor that is not positive.
template <class T>
std::ptrdiff_t paired_eigenvalues(cusolverEigType_t type, cusolverEigMode_t mode,
                                  cublasFillMode_t fill, int n, T* a, int lda, T* b, int ldb,
                                  real_of<T>* values, double* residual) {
    using W = wide_of<T>;
    const bool is_lower = fill == CUBLAS_FILL_MODE_LOWER;
    const matrix<T> first{a, lda}, second{b, ldb};
    full_matrix<W> x(n, n), l(n, n);
    for (int j = 0; j < n; ++j)
        for (int i = j; i < n; ++i) {
            const W own = is_lower ? W(first(i, j)) : conjugate(W(first(j, i)));
            x(i, j) = i == j ? W(std::real(own)) : own;
            x(j, i) = conjugate(x(i, j));
            l(i, j) = is_lower ? W(second(i, j)) : conjugate(W(second(j, i)));
        }
    if (const std::ptrdiff_t bad = decompose_positive(l.all(), true, n); bad != 0) return n + bad;
    const matrix<const W> lower = std::as_const(l).all();
    if (type == CUSOLVER_EIG_TYPE_1) {  // inv(L) A inv(L)^H, from both sides
        for (int turn = 0; turn < 2; ++turn) {
            for (int j = 0; j < n; ++j)
                solve_triangle(lower, true, false, false, false, n, x.column(j), 1);
            for (int j = 0; j < n; ++j)
                for (int i = 0; i <= j; ++i) {
                    const W other = conjugate(x(i, j));
                    x(i, j) = conjugate(x(j, i));
                    x(j, i) = other;
                }
        }
    } else {  // L^H A L
        full_matrix<W> product(n, n), made(n, n);
        multiply<W>(n, n, n, x, l,
                    [&](std::ptrdiff_t i, std::ptrdiff_t j, W sum) { product(i, j) = sum; });
        multiply<W>(
            n, n, n, [&](std::ptrdiff_t i, std::ptrdiff_t p) { return conjugate(l(p, i)); },
            product, [&](std::ptrdiff_t i, std::ptrdiff_t j, W sum) { made(i, j) = sum; });
        x = made;
    }
    std::vector<double> found;
    const bool with_vectors = mode == CUSOLVER_EIG_MODE_VECTOR;
    const std::ptrdiff_t missing = find_eigenvalues(x, found, with_vectors);
    for (int j = 0; j < n; ++j) {
        values[j] = static_cast<real_of<T>>(found[static_cast<std::size_t>(j)]);
        for (int i = 0; i < n; ++i)
            if (is_lower ? i >= j : i <= j)
                second(i, j) = static_cast<T>(is_lower ? l(i, j) : conjugate(l(j, i)));
        if (!with_vectors) continue;
        W* const column = x.column(j);
        if (type != CUSOLVER_EIG_TYPE_3) {
            solve_triangle(lower, true, true, true, false, n, column, 1);
        } else {
            for (int i = n; i-- > 0;) {
                W sum = 0;
                for (int k = 0; k <= i; ++k) sum += l(i, k) * column[k];
                column[i] = sum;
            }
        }
        for (int i = 0; i < n; ++i) first(i, j) = static_cast<T>(column[i]);
    }
    if (residual != nullptr) *residual = 0;
    return missing;
}

template <class T>
cusolverStatus_t by_jacobi(cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t fill,
                           int n, T* a, int lda, real_of<T>* values, int* info,
                           syevjInfo_t params) {
    if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    params->sweeps = 1;
    return solve_on_device(h, is_bad(n, lda), info, [&] {
        return eigenvalues(mode, fill, n, a, lda, values, &params->residual);
    });
}

template <class T>
cusolverStatus_t batch_by_jacobi(cusolverDnHandle_t h, cusolverEigMode_t mode,
                                 cublasFillMode_t fill, int n, T* a, int lda, real_of<T>* values,
                                 int* infos, syevjInfo_t params, int count) {
    return solve_batch(h, is_bad(n, lda) || params == nullptr, infos, count, [&](std::ptrdiff_t i) {
        return eigenvalues(mode, fill, n, a + i * n * std::ptrdiff_t{lda}, lda, values + i * n);
    });
}

}  // namespace

extern "C" {

#define CUSET_HOST_SOLVER(T, R, name)                                                              \
    cusolverStatus_t cusolverDn##name##evd_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t,     \
                                                      cublasFillMode_t, int n, const T*, int lda,  \
                                                      const R*, int* size) {                       \
        return is_bad(n, lda) ? CUSOLVER_STATUS_INVALID_VALUE : give_size(h, size, n);             \
    }                                                                                              \
    cusolverStatus_t cusolverDn##name##evd(cusolverDnHandle_t h, cusolverEigMode_t mode,           \
                                           cublasFillMode_t fill, int n, T* a, int lda, R* values, \
                                           T*, int, int* info) {                                   \
        return solve_on_device(h, is_bad(n, lda), info, [&] {                                      \
            return eigenvalues(mode, fill, n, numbers(a), lda, values);                            \
        });                                                                                        \
    }                                                                                              \
    cusolverStatus_t cusolverDn##name##evj_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t,     \
                                                      cublasFillMode_t, int n, const T*, int lda,  \
                                                      const R*, int* size, syevjInfo_t) {          \
        return is_bad(n, lda) ? CUSOLVER_STATUS_INVALID_VALUE : give_size(h, size, n);             \
    }                                                                                              \
    cusolverStatus_t cusolverDn##name##evj(cusolverDnHandle_t h, cusolverEigMode_t mode,           \
                                           cublasFillMode_t fill, int n, T* a, int lda, R* values, \
                                           T*, int, int* info, syevjInfo_t params) {               \
        return by_jacobi(h, mode, fill, n, numbers(a), lda, values, info, params);                 \
    }                                                                                              \
    cusolverStatus_t cusolverDn##name##evjBatched_bufferSize(                                      \
        cusolverDnHandle_t h, cusolverEigMode_t, cublasFillMode_t, int n, const T*, int lda,       \
        const R*, int* size, syevjInfo_t, int) {                                                   \
        return is_bad(n, lda) ? CUSOLVER_STATUS_INVALID_VALUE : give_size(h, size, n);             \
    }                                                                                              \
    cusolverStatus_t cusolverDn##name##evjBatched(                                                 \
        cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t fill, int n, T* a, int lda, \
        R* values, T*, int, int* infos, syevjInfo_t params, int count) {                           \
        return batch_by_jacobi(h, mode, fill, n, numbers(a), lda, values, infos, params, count);   \
    }                                                                                              \
    cusolverStatus_t cusolverDn##name##gvd_bufferSize(                                             \
        cusolverDnHandle_t h, cusolverEigType_t, cusolverEigMode_t, cublasFillMode_t, int n,       \
        const T*, int lda, const T*, int ldb, const R*, int* size) {                               \
        return is_bad(n, lda) || is_bad(n, ldb) ? CUSOLVER_STATUS_INVALID_VALUE                    \
                                                : give_size(h, size, n);                           \
    }                                                                                              \
    cusolverStatus_t cusolverDn##name##gvd(cusolverDnHandle_t h, cusolverEigType_t type,           \
                                           cusolverEigMode_t mode, cublasFillMode_t fill, int n,   \
                                           T* a, int lda, T* b, int ldb, R* values, T*, int,       \
                                           int* info) {                                            \
        return solve_on_device(h, is_bad(n, lda) || is_bad(n, ldb), info, [&] {                    \
            return paired_eigenvalues(type, mode, fill, n, numbers(a), lda, numbers(b), ldb,       \
                                      values, nullptr);                                            \
        });                                                                                        \
    }                                                                                              \
    cusolverStatus_t cusolverDn##name##gvj_bufferSize(                                             \
        cusolverDnHandle_t h, cusolverEigType_t, cusolverEigMode_t, cublasFillMode_t, int n,       \
        const T*, int lda, const T*, int ldb, const R*, int* size, syevjInfo_t) {                  \
        return is_bad(n, lda) || is_bad(n, ldb) ? CUSOLVER_STATUS_INVALID_VALUE                    \
                                                : give_size(h, size, n);                           \
    }                                                                                              \
    cusolverStatus_t cusolverDn##name##gvj(cusolverDnHandle_t h, cusolverEigType_t type,           \
                                           cusolverEigMode_t mode, cublasFillMode_t fill, int n,   \
                                           T* a, int lda, T* b, int ldb, R* values, T*, int,       \
                                           int* info, syevjInfo_t params) {                        \
        if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;                               \
        params->sweeps = 1;                                                                        \
        return solve_on_device(h, is_bad(n, lda) || is_bad(n, ldb), info, [&] {                    \
            return paired_eigenvalues(type, mode, fill, n, numbers(a), lda, numbers(b), ldb,       \
                                      values, &params->residual);                                  \
        });                                                                                        \
    }
CUSET_HOST_SOLVER(float, float, Ssy)
CUSET_HOST_SOLVER(double, double, Dsy)
CUSET_HOST_SOLVER(cuComplex, float, Che)
CUSET_HOST_SOLVER(cuDoubleComplex, double, Zhe)
#undef CUSET_HOST_SOLVER

}  // extern "C"
