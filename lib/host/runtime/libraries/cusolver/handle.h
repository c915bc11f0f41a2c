// What the parts of cuSOLVER share. Read after the toolkit's headers.
#pragma once

#include <cusolverDn.h>

#include <cstdint>
#include <string>

#include "cuset_host/faults.h"
#include "libraries/cublas/handle.h"
#include "libraries/decompositions.h"

struct cusolverDnContext {
    cudaStream_t stream = nullptr;
    cusolverDeterministicMode_t determinism = CUSOLVER_DETERMINISTIC_RESULTS;
};
struct cusolverDnParams {};
/// What the calls of Jacobi's method give. Tolerances, limits and the choice of an order change
/// nothing here: all is found to the precision of double, and sorted.
struct jacobi_info {
    double residual = 0;
    int sweeps = 0;
};
struct syevjInfo : jacobi_info {};
struct gesvdjInfo : jacobi_info {};

namespace cuset_host {

template <>
struct codes<cusolverStatus_t> {
    static constexpr auto no_handle = CUSOLVER_STATUS_NOT_INITIALIZED;
    static constexpr auto bad_value = CUSOLVER_STATUS_INVALID_VALUE;
};

/// The size of a workspace that programs are told, which is not 0. None is used, and a program may
/// bring less: what a device needs is not known here.
inline cusolverStatus_t give_size(cusolverDnHandle_t h, int* size, std::ptrdiff_t least) {
    if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (size == nullptr || least < 0) return CUSOLVER_STATUS_INVALID_VALUE;
    *size = static_cast<int>(std::max<std::ptrdiff_t>(least, 1));
    return CUSOLVER_STATUS_SUCCESS;
}
inline cusolverStatus_t tell_sizes(cusolverDnHandle_t h, std::size_t* device, std::size_t* host) {
    if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (device == nullptr || host == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    *device = 256;
    *host = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

/// Whether m or n is negative, or columns of m numbers do not fit where columns lie `lda` apart.
inline bool is_bad(std::int64_t m, std::int64_t n, std::int64_t lda) {
    return m < 0 || n < 0 || is_smaller(lda, m);
}
inline bool is_bad(std::int64_t n, std::int64_t lda) { return is_bad(n, n, lda); }

/// Runs work() as a kernel, and puts what it returns where the device has its info.
template <class Work>
cusolverStatus_t solve_on_device(cusolverDnHandle_t h, bool is_bad, int* info, const Work& work) {
    return run_on_device<cusolverStatus_t>(h, is_bad, [&] {
        const auto found = static_cast<int>(work());
        if (info != nullptr) *info = found;
    });
}
/// The same for a batch: work(i) returns what is the info of system i.
template <class Count, class Work>
cusolverStatus_t solve_batch(cusolverDnHandle_t h, bool is_bad, int* infos, Count count,
                             const Work& work) {
    return run_on_device<cusolverStatus_t>(h, is_bad || count < 0, [&] {
        for (std::ptrdiff_t i = 0; i < count; ++i) infos[i] = static_cast<int>(work(i));
    });
}

/// Calls with(T()) for the number of a type of cuBLAS's. Ends the program for others.
template <class With>
auto with_number(const char* name, cudaDataType type, const With& with) {
    switch (type) {
        case CUDA_R_32F: return with(float());
        case CUDA_R_64F: return with(double());
        case CUDA_C_32F: return with(std::complex<float>());
        case CUDA_C_64F: return with(std::complex<double>());
        default: fail("unsupported", std::string(name) + " of type " + std::to_string(type));
    }
}
/// Runs work(T()) as a kernel, which returns the device's info, where T is the type of A, of what
/// belongs to it, and of what is computed. Mixed types are not modelled.
template <class Work>
cusolverStatus_t solve_number(const char* name, cusolverDnHandle_t h,
                              std::initializer_list<cudaDataType> types, bool is_bad, int* info,
                              const Work& work) {
    const cudaDataType type = *types.begin();
    for (const cudaDataType other : types)
        if (other != type) fail("unsupported", std::string(name) + " of mixed types");
    return with_number(name, type, [&](auto number) {
        return solve_on_device(h, is_bad, info, [&] { return work(number); });
    });
}

// What the calls of 32 and of 64 bits share. They return the device's info.

/// LU of m x n, and solutions.
template <class T, class Pivot>
std::ptrdiff_t lu(std::int64_t m, std::int64_t n, T* a, std::int64_t lda, Pivot* pivots) {
    return decompose(matrix<T>{a, lda}, m, n, pivots);
}
template <class T, class Pivot>
std::ptrdiff_t lu_solutions(cublasOperation_t op, std::int64_t n, std::int64_t columns, const T* a,
                            std::int64_t lda, const Pivot* pivots, T* b, std::int64_t ldb) {
    for (std::int64_t j = 0; j < columns; ++j)
        solve_decomposed(matrix<const T>{a, lda}, pivots, n, b + j * ldb, op != CUBLAS_OP_N,
                         op == CUBLAS_OP_C);
    return 0;
}
template <class T>
std::ptrdiff_t cholesky(cublasFillMode_t fill, std::int64_t n, T* a, std::int64_t lda) {
    return decompose_positive(matrix<T>{a, lda}, fill == CUBLAS_FILL_MODE_LOWER, n);
}
template <class T>
std::ptrdiff_t positive_solutions(cublasFillMode_t fill, std::int64_t n, std::int64_t columns,
                                  const T* a, std::int64_t lda, T* b, std::int64_t ldb) {
    for (std::int64_t j = 0; j < columns; ++j)
        solve_positive(matrix<const T>{a, lda}, fill == CUBLAS_FILL_MODE_LOWER, n, b + j * ldb);
    return 0;
}

/// Eigenvalues, ascending, and vectors instead of A, of which one triangle is read.
template <class T>
std::ptrdiff_t eigenvalues(cusolverEigMode_t mode, cublasFillMode_t fill, std::int64_t n, T* a,
                           std::int64_t lda, real_of<T>* values, double* residual = nullptr) {
    using W = wide_of<T>;
    const matrix<T> from{a, lda};
    full_matrix<W> whole(n, n);
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i) {
            const bool is_there = fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
            whole(i, j) = i == j     ? W(std::real(from(i, i)))
                          : is_there ? W(from(i, j))
                                     : conjugate(W(from(j, i)));
        }
    full_matrix<W> before(0, 0);
    if (residual != nullptr) before = whole;
    std::vector<double> found;
    const bool with_vectors = mode == CUSOLVER_EIG_MODE_VECTOR;
    const std::ptrdiff_t missing = find_eigenvalues(whole, found, with_vectors);
    if (residual != nullptr) *residual = 0;
    for (std::int64_t j = 0; j < n; ++j) {
        values[j] = static_cast<real_of<T>>(found[static_cast<std::size_t>(j)]);
        for (std::int64_t i = 0; i < n && with_vectors; ++i)
            from(i, j) = static_cast<T>(whole(i, j));
    }
    if (residual == nullptr || !with_vectors) return missing;
    double sum = 0;
    multiply<W>(n, n, n, before, whole, [&](std::ptrdiff_t i, std::ptrdiff_t j, W each) {
        sum += std::norm(each - found[static_cast<std::size_t>(j)] * whole(i, j));
    });
    *residual = std::sqrt(sum);
    return missing;
}

/// Where a singular value decomposition goes: vectors that are not wanted have no columns.
template <class T>
struct singular_places {
    real_of<T>* values;
    T* left;
    std::int64_t left_apart, left_columns;
    T* right;
    std::int64_t right_apart, right_columns;
    bool right_is_adjoint;  ///< V^H, whose rows count as columns
};

/// The decomposition of m x n numbers of any shape.
template <class T>
std::ptrdiff_t singular_decomposition(std::int64_t m, std::int64_t n, const T* a, std::int64_t lda,
                                      const singular_places<T>& to) {
    using W = wide_of<T>;
    const matrix<const T> from{a, lda};
    const bool is_wide = m < n;  // then that of A^H is found
    full_matrix<W> whole(is_wide ? n : m, is_wide ? m : n);
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < m; ++i) {
            if (is_wide)
                whole(j, i) = conjugate(W(from(i, j)));
            else
                whole(i, j) = W(from(i, j));
        }
    const std::int64_t least = std::min(m, n);
    const std::int64_t wanted = is_wide ? to.right_columns : to.left_columns;
    const auto found = find_singular_values(whole, least, std::max(least, wanted));
    const full_matrix<W>& left = is_wide ? found.right : found.left;
    const full_matrix<W>& right = is_wide ? found.left : found.right;
    for (std::int64_t j = 0; j < least; ++j)
        to.values[j] = static_cast<real_of<T>>(found.values[static_cast<std::size_t>(j)]);
    for (std::int64_t j = 0; j < to.left_columns; ++j)
        for (std::int64_t i = 0; i < m; ++i)
            to.left[i + j * to.left_apart] = static_cast<T>(left(i, j));
    for (std::int64_t j = 0; j < to.right_columns; ++j)
        for (std::int64_t i = 0; i < n; ++i) {
            if (to.right_is_adjoint)
                to.right[j + i * to.right_apart] = static_cast<T>(conjugate(right(i, j)));
            else
                to.right[i + j * to.right_apart] = static_cast<T>(right(i, j));
        }
    return found.converged ? 0 : 1;
}

/// The decomposition as cusolverDnXgesvd has it, for m >= n: letters say what is wanted of U and
/// V^H: all, the first n, nothing, or the first n over A.
template <class T>
std::ptrdiff_t singular_by_letters(signed char u, signed char v, std::int64_t m, std::int64_t n,
                                   T* a, std::int64_t lda, real_of<T>* values, T* left,
                                   std::int64_t left_apart, T* right, std::int64_t right_apart) {
    const bool over_u = u == 'O', over_v = v == 'O';
    return singular_decomposition<T>(
        m, n, a, lda,
        {values, over_u ? a : left, over_u ? lda : left_apart,
         u == 'A'   ? m
         : u == 'N' ? 0
                    : n,
         over_v ? a : right, over_v ? lda : right_apart, v == 'N' ? 0 : n, true});
}
/// Whether the letters are such, and what they want has room.
inline bool are_letters(signed char u, signed char v, std::int64_t m, std::int64_t n,
                        std::int64_t left_apart, std::int64_t right_apart) {
    const auto fits = [](signed char c, std::int64_t apart, std::int64_t rows) {
        return c == 'O' || c == 'N' || ((c == 'A' || c == 'S') && !is_smaller(apart, rows));
    };
    return fits(u, left_apart, m) && fits(v, right_apart, n) && !(u == 'O' && v == 'O');
}

/// Where U and V go, in full or the columns that belong to singular values.
template <class T>
singular_places<T> places_of(cusolverEigMode_t mode, bool economic, std::int64_t m, std::int64_t n,
                             real_of<T>* values, T* left, std::int64_t left_apart, T* right,
                             std::int64_t right_apart) {
    const bool with_vectors = mode == CUSOLVER_EIG_MODE_VECTOR;
    const auto columns = [&](std::int64_t all) {
        return !with_vectors ? 0 : economic ? std::min(m, n) : all;
    };
    return {values, left, left_apart, columns(m), right, right_apart, columns(n), false};
}
/// Whether these have no room there.
inline bool lack_room(cusolverEigMode_t mode, std::int64_t m, std::int64_t n,
                      std::int64_t left_apart, std::int64_t right_apart) {
    return mode == CUSOLVER_EIG_MODE_VECTOR &&
           (is_smaller(left_apart, m) || is_smaller(right_apart, n));
}

}  // namespace cuset_host
