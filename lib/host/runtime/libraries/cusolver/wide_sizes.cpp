// cuSOLVER's calls with 64-bit sizes, for all types of numbers.
#include "cuset_host/cuda_types.h"

#if __has_include(<cusolverDn.h>)

#include "handle.h"

using namespace cuset_host;

namespace {

/// The types of A and of what is computed must fit: mixed ones are not modelled.
void want_same(const char* name, cudaDataType a, cudaDataType other) {
    if (a != other) fail("unsupported", std::string(name) + " of mixed types");
}
bool is_bad(std::int64_t m, std::int64_t n, std::int64_t lda) {
    return m < 0 || n < 0 || is_smaller(lda, m);
}

}  // namespace

extern "C" {

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t,
                                             cublasFillMode_t, int64_t, cudaDataType, const void*,
                                             int64_t, cudaDataType, size_t* device, size_t* host) {
    return tell_sizes(h, device, host);
}
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t h, cusolverDnParams_t, cublasFillMode_t fill,
                                  int64_t n, cudaDataType type, void* a, int64_t lda,
                                  cudaDataType compute, void*, size_t, void*, size_t, int* info) {
    want_same("cusolverDnXpotrf", type, compute);
    return with_number("cusolverDnXpotrf", type, [&](auto number) {
        using T = decltype(number);
        return solve_on_device(h, is_bad(n, n, lda), info, [&] {
            return decompose_positive(matrix<T>{static_cast<T*>(a), lda},
                                      fill == CUBLAS_FILL_MODE_LOWER, n);
        });
    });
}
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t h, cusolverDnParams_t, cublasFillMode_t fill,
                                  int64_t n, int64_t columns, cudaDataType type, const void* a,
                                  int64_t lda, cudaDataType type_b, void* b, int64_t ldb,
                                  int* info) {
    want_same("cusolverDnXpotrs", type, type_b);
    return with_number("cusolverDnXpotrs", type, [&](auto number) {
        using T = decltype(number);
        return solve_on_device(h, is_bad(n, columns, lda) || is_smaller(ldb, n), info, [&] {
            return positive_solutions(fill, n, columns, static_cast<const T*>(a), lda,
                                      static_cast<T*>(b), ldb);
        });
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
    want_same("cusolverDnXgetrf", type, compute);
    return with_number("cusolverDnXgetrf", type, [&](auto number) {
        using T = decltype(number);
        return solve_on_device(h, is_bad(m, n, lda), info,
                               [&] { return lu(m, n, static_cast<T*>(a), lda, pivots); });
    });
}
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t h, cusolverDnParams_t, cublasOperation_t op,
                                  int64_t n, int64_t columns, cudaDataType type, const void* a,
                                  int64_t lda, const int64_t* pivots, cudaDataType type_b, void* b,
                                  int64_t ldb, int* info) {
    want_same("cusolverDnXgetrs", type, type_b);
    return with_number("cusolverDnXgetrs", type, [&](auto number) {
        using T = decltype(number);
        return solve_on_device(h, is_bad(n, columns, lda) || is_smaller(ldb, n), info, [&] {
            return lu_solutions(op, n, columns, static_cast<const T*>(a), lda, pivots,
                                static_cast<T*>(b), ldb);
        });
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
    want_same("cusolverDnXgeqrf", type, compute);
    want_same("cusolverDnXgeqrf", type, type_tau);
    return with_number("cusolverDnXgeqrf", type, [&](auto number) {
        using T = decltype(number);
        return solve_on_device(h, is_bad(m, n, lda), info, [&] {
            decompose_qr(matrix<T>{static_cast<T*>(a), lda}, m, n, static_cast<T*>(tau));
            return 0;
        });
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
    want_same("cusolverDnXsyevd", type, compute);
    return with_number("cusolverDnXsyevd", type, [&](auto number) {
        using T = decltype(number);
        return solve_on_device(h, is_bad(n, n, lda), info, [&] {
            return eigenvalues(mode, fill, n, static_cast<T*>(a), lda,
                               static_cast<real_of<T>*>(values));
        });
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
    want_same("cusolverDnXsyevBatched", type, compute);
    return with_number("cusolverDnXsyevBatched", type, [&](auto number) {
        using T = decltype(number);
        return solve_on_device(h, is_bad(n, n, lda) || count < 0, static_cast<int*>(nullptr), [&] {
            for (int64_t i = 0; i < count; ++i)
                infos[i] =
                    static_cast<int>(eigenvalues(mode, fill, n, static_cast<T*>(a) + i * n * lda,
                                                 lda, static_cast<real_of<T>*>(values) + i * n));
            return 0;
        });
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
    want_same("cusolverDnXgesvd", type, compute);
    return with_number("cusolverDnXgesvd", type, [&](auto number) {
        using T = decltype(number);
        return solve_on_device(
            h, m < n || is_bad(m, n, lda) || !are_letters(of_u, of_v, m, n, ldu, ldv), info, [&] {
                return singular_by_letters(of_u, of_v, m, n, static_cast<T*>(a), lda,
                                           static_cast<real_of<T>*>(values), static_cast<T*>(u),
                                           ldu, static_cast<T*>(v), ldv);
            });
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
    want_same("cusolverDnXgesvdp", type, compute);
    return with_number("cusolverDnXgesvdp", type, [&](auto number) {
        using T = decltype(number);
        if (error != nullptr) *error = 0;
        const bool is_wrong = is_bad(m, n, lda) || lack_room(mode, m, n, ldu, ldv);
        return solve_on_device(h, is_wrong, info, [&] {
            return singular_decomposition(
                m, n, static_cast<const T*>(a), lda,
                places_of(mode, economic != 0, m, n, static_cast<real_of<T>*>(values),
                          static_cast<T*>(u), ldu, static_cast<T*>(v), ldv));
        });
    });
}

}  // extern "C"

#endif
