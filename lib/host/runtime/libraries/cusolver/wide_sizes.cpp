// cuSOLVER's calls with 64-bit sizes, for all types of numbers.
#include "cuset_host/cuda_types.h"
#include "handle.h"

using namespace cuset_host;

extern "C" {

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t,
                                             cublasFillMode_t, int64_t, cudaDataType, const void*,
                                             int64_t, cudaDataType, size_t* device, size_t* host) {
    return tell_sizes(h, device, host);
}
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t h, cusolverDnParams_t, cublasFillMode_t fill,
                                  int64_t n, cudaDataType type, void* a, int64_t lda,
                                  cudaDataType compute, void*, size_t, void*, size_t, int* info) {
    const bool wrong = is_bad(n, lda);
    return solve_number("cusolverDnXpotrf", h, {type, compute}, wrong, info, [&](auto number) {
        using T = decltype(number);
        return cholesky(fill, n, static_cast<T*>(a), lda);
    });
}
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t h, cusolverDnParams_t, cublasFillMode_t fill,
                                  int64_t n, int64_t columns, cudaDataType type, const void* a,
                                  int64_t lda, cudaDataType type_b, void* b, int64_t ldb,
                                  int* info) {
    const bool wrong = is_bad(n, columns, lda) || is_smaller(ldb, n);
    return solve_number("cusolverDnXpotrs", h, {type, type_b}, wrong, info, [&](auto number) {
        using T = decltype(number);
        return positive_solutions(fill, n, columns, static_cast<const T*>(a), lda,
                                  static_cast<T*>(b), ldb);
    });
}

cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, int64_t,
                                             int64_t, cudaDataType, const void*, int64_t,
                                             cudaDataType, size_t* device, size_t* host) {
    return tell_sizes(h, device, host);
}
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t h, cusolverDnParams_t, int64_t m, int64_t n,
                                  cudaDataType type, void* a, int64_t lda, int64_t* pivots,
                                  cudaDataType compute, void*, size_t, void*, size_t, int* info) {
    const bool wrong = is_bad(m, n, lda);
    return solve_number("cusolverDnXgetrf", h, {type, compute}, wrong, info, [&](auto number) {
        using T = decltype(number);
        return lu(m, n, static_cast<T*>(a), lda, pivots);
    });
}
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t h, cusolverDnParams_t, cublasOperation_t op,
                                  int64_t n, int64_t columns, cudaDataType type, const void* a,
                                  int64_t lda, const int64_t* pivots, cudaDataType type_b, void* b,
                                  int64_t ldb, int* info) {
    const bool wrong = is_bad(n, columns, lda) || is_smaller(ldb, n);
    return solve_number("cusolverDnXgetrs", h, {type, type_b}, wrong, info, [&](auto number) {
        using T = decltype(number);
        return lu_solutions(op, n, columns, static_cast<const T*>(a), lda, pivots,
                            static_cast<T*>(b), ldb);
    });
}

cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, int64_t,
                                             int64_t, cudaDataType, const void*, int64_t,
                                             cudaDataType, const void*, cudaDataType,
                                             size_t* device, size_t* host) {
    return tell_sizes(h, device, host);
}
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t h, cusolverDnParams_t, int64_t m, int64_t n,
                                  cudaDataType type, void* a, int64_t lda, cudaDataType type_tau,
                                  void* tau, cudaDataType compute, void*, size_t, void*, size_t,
                                  int* info) {
    const bool wrong = is_bad(m, n, lda);
    return solve_number(
        "cusolverDnXgeqrf", h, {type, compute, type_tau}, wrong, info, [&](auto number) {
            using T = decltype(number);
            decompose_qr(matrix<T>{static_cast<T*>(a), lda}, m, n, static_cast<T*>(tau));
            return 0;
        });
}

cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t,
                                             cusolverEigMode_t, cublasFillMode_t, int64_t,
                                             cudaDataType, const void*, int64_t, cudaDataType,
                                             const void*, cudaDataType, size_t* device,
                                             size_t* host) {
    return tell_sizes(h, device, host);
}
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t mode,
                                  cublasFillMode_t fill, int64_t n, cudaDataType type, void* a,
                                  int64_t lda, cudaDataType, void* values, cudaDataType compute,
                                  void*, size_t, void*, size_t, int* info) {
    const bool wrong = is_bad(n, lda);
    return solve_number("cusolverDnXsyevd", h, {type, compute}, wrong, info, [&](auto number) {
        using T = decltype(number);
        return eigenvalues(mode, fill, n, static_cast<T*>(a), lda,
                           static_cast<real_of<T>*>(values));
    });
}
cusolverStatus_t cusolverDnXsyevBatched_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t,
                                                   cusolverEigMode_t, cublasFillMode_t, int64_t,
                                                   cudaDataType, const void*, int64_t, cudaDataType,
                                                   const void*, cudaDataType, size_t* device,
                                                   size_t* host, int64_t) {
    return tell_sizes(h, device, host);
}
cusolverStatus_t cusolverDnXsyevBatched(cusolverDnHandle_t h, cusolverDnParams_t,
                                        cusolverEigMode_t mode, cublasFillMode_t fill, int64_t n,
                                        cudaDataType type, void* a, int64_t lda, cudaDataType,
                                        void* values, cudaDataType compute, void*, size_t, void*,
                                        size_t, int* infos, int64_t count) {
    const bool wrong = is_bad(n, lda) || count < 0;
    return solve_number(
        "cusolverDnXsyevBatched", h, {type, compute}, wrong, nullptr, [&](auto number) {
            using T = decltype(number);
            for (int64_t i = 0; i < count; ++i)
                infos[i] =
                    static_cast<int>(eigenvalues(mode, fill, n, static_cast<T*>(a) + i * n * lda,
                                                 lda, static_cast<real_of<T>*>(values) + i * n));
            return 0;
        });
}

cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, signed char,
                                             signed char, int64_t, int64_t, cudaDataType,
                                             const void*, int64_t, cudaDataType, const void*,
                                             cudaDataType, const void*, int64_t, cudaDataType,
                                             const void*, int64_t, cudaDataType, size_t* device,
                                             size_t* host) {
    return tell_sizes(h, device, host);
}
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t h, cusolverDnParams_t, signed char of_u,
                                  signed char of_v, int64_t m, int64_t n, cudaDataType type,
                                  void* a, int64_t lda, cudaDataType, void* values, cudaDataType,
                                  void* u, int64_t ldu, cudaDataType, void* v, int64_t ldv,
                                  cudaDataType compute, void*, size_t, void*, size_t, int* info) {
    const bool wrong = m < n || is_bad(m, n, lda) || !are_letters(of_u, of_v, m, n, ldu, ldv);
    return solve_number("cusolverDnXgesvd", h, {type, compute}, wrong, info, [&](auto number) {
        using T = decltype(number);
        return singular_by_letters(of_u, of_v, m, n, static_cast<T*>(a), lda,
                                   static_cast<real_of<T>*>(values), static_cast<T*>(u), ldu,
                                   static_cast<T*>(v), ldv);
    });
}
cusolverStatus_t cusolverDnXgesvdp_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t,
                                              cusolverEigMode_t, int, int64_t, int64_t,
                                              cudaDataType, const void*, int64_t, cudaDataType,
                                              const void*, cudaDataType, const void*, int64_t,
                                              cudaDataType, const void*, int64_t, cudaDataType,
                                              size_t* device, size_t* host) {
    return tell_sizes(h, device, host);
}
cusolverStatus_t cusolverDnXgesvdp(cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t mode,
                                   int economic, int64_t m, int64_t n, cudaDataType type, void* a,
                                   int64_t lda, cudaDataType, void* values, cudaDataType, void* u,
                                   int64_t ldu, cudaDataType, void* v, int64_t ldv,
                                   cudaDataType compute, void*, size_t, void*, size_t, int* info,
                                   double* error) {
    if (error != nullptr) *error = 0;
    const bool wrong = is_bad(m, n, lda) || lack_room(mode, m, n, ldu, ldv);
    return solve_number("cusolverDnXgesvdp", h, {type, compute}, wrong, info, [&](auto number) {
        using T = decltype(number);
        return singular_decomposition(
            m, n, static_cast<const T*>(a), lda,
            places_of(mode, economic != 0, m, n, static_cast<real_of<T>*>(values),
                      static_cast<T*>(u), ldu, static_cast<T*>(v), ldv));
    });
}

}  // extern "C"
