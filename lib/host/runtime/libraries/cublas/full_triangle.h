// Triangles, and symmetric matrices of which one triangle is stored, as full matrices, and the
// products of these.
#pragma once

#include "handle.h"

namespace cuset_host {

/// A triangle as a full matrix, with zeros beyond.
template <class T>
full_matrix<T> full_triangle(const T* a, std::ptrdiff_t lda, std::ptrdiff_t n,
                             cublasFillMode_t fill, cublasDiagType_t diagonal) {
    full_matrix<T> full(n, n);
    const matrix<const T> from{a, lda};
    for (std::ptrdiff_t j = 0; j < n; ++j)
        for (std::ptrdiff_t i = 0; i < n; ++i)
            if (fill == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j)
                full(i, j) = i == j && diagonal == CUBLAS_DIAG_UNIT ? T(1) : from(i, j);
    return full;
}
/// A symmetric or Hermitian matrix as a full one; the diagonal of the latter counts as real.
template <class T>
full_matrix<T> full_symmetric(const T* a, std::ptrdiff_t lda, std::ptrdiff_t n,
                              cublasFillMode_t fill, bool hermitian) {
    full_matrix<T> full = full_triangle(a, lda, n, fill, CUBLAS_DIAG_NON_UNIT);
    for (std::ptrdiff_t j = 0; j < n; ++j) {
        if (hermitian) full(j, j) = std::real(full(j, j));
        for (std::ptrdiff_t i = 0; i < n; ++i)
            if (fill == CUBLAS_FILL_MODE_UPPER ? i > j : i < j)
                full(i, j) = hermitian ? conjugate(full(j, i)) : full(j, i);
    }
    return full;
}

/// C = alpha A B + beta C. With a fill mode, only in that triangle.
template <class T, class A, class B>
void combine(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k, T alpha, const A& a, const B& b,
             T beta, const matrix<T>& c, int filled = -1) {
    if (alpha == T(0)) k = 0;
    multiply<T>(m, n, k, a, b, [&](std::ptrdiff_t i, std::ptrdiff_t j, T sum) {
        if (filled == CUBLAS_FILL_MODE_LOWER ? i < j : filled == CUBLAS_FILL_MODE_UPPER && i > j)
            return;
        T& out = c(i, j);
        out = alpha * sum + (beta == T(0) ? T(0) : beta * out);
    });
}

}  // namespace cuset_host
