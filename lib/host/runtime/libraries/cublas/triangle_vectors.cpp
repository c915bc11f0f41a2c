// cuBLAS's products of triangles and vectors, and solutions: plain, packed and banded triangles.
#include "cuset_host/cuda_types.h"
#include "triangle.h"

using namespace cuset_host;

namespace {

/// x = op(A) x.
template <class T>
void multiply_vector(const triangle<const T>& a, cublasOperation_t op, bool has_ones, T* x,
                     std::ptrdiff_t step) {
    using W = wide_of<T>;
    std::vector<W> sums(static_cast<std::size_t>(a.order));
    for (std::ptrdiff_t j = 0; j < a.order; ++j)
        for (std::ptrdiff_t i = a.begin(j); i < a.end(j); ++i) {
            T own = i == j && has_ones ? T(1) : a(i, j);
            if (op == CUBLAS_OP_C) own = conjugate(own);
            const std::ptrdiff_t to = op == CUBLAS_OP_N ? i : j, from = i + j - to;
            sums[static_cast<std::size_t>(to)] += W(own) * W(x[from * step]);
        }
    for (std::ptrdiff_t i = 0; i < a.order; ++i)
        x[i * step] = static_cast<T>(sums[static_cast<std::size_t>(i)]);
}

/// Solves op(A) x = b in place.
template <class T>
void solve_vector(const triangle<const T>& a, cublasOperation_t op, bool has_ones, T* x,
                  std::ptrdiff_t step) {
    const bool transposed = op != CUBLAS_OP_N, from_above = a.is_lower != transposed;
    const auto value = [&](const T& own) { return op == CUBLAS_OP_C ? conjugate(own) : own; };
    for (std::ptrdiff_t count = 0; count < a.order; ++count) {
        const std::ptrdiff_t j = from_above ? count : a.order - 1 - count;
        const std::ptrdiff_t begin = a.is_lower ? j + 1 : a.begin(j),
                             end = a.is_lower ? a.end(j) : j;
        T& own = x[j * step];
        if (transposed)
            for (std::ptrdiff_t i = begin; i < end; ++i) own -= value(a(i, j)) * x[i * step];
        if (!has_ones) own /= value(a(j, j));
        if (!transposed)
            for (std::ptrdiff_t i = begin; i < end; ++i) x[i * step] -= a(i, j) * own;
    }
}

template <class T>
cublasStatus_t triangle_by_vector(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op,
                                  cublasDiagType_t diagonal, const triangle<const T>& a,
                                  bool is_bad, T* x, std::ptrdiff_t step, bool solves) {
    const bool is_wrong = is_bad || a.order < 0 || step == 0 || !is_fill(fill) ||
                          !is_operation(op) || !is_diagonal(diagonal);
    return run_or_record(h, is_wrong, [=] {
        (solves ? solve_vector<T> : multiply_vector<T>)(a, op, diagonal == CUBLAS_DIAG_UNIT,
                                                        x + first_of(a.order, step), step);
    });
}

}  // namespace

extern "C" {

#define CUSET_HOST_KIND(T, letter, kind, solves, Int, end)                                         \
    cublasStatus_t cublas##letter##tr##kind##_v2##end(                                             \
        cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, cublasDiagType_t diagonal,  \
        Int n, const T* a, Int lda, T* x, Int step) {                                              \
        return triangle_by_vector(h, fill, op, diagonal, plain_triangle(numbers(a), lda, n, fill), \
                                  is_smaller(lda, n), numbers(x), step, solves);                   \
    }                                                                                              \
    cublasStatus_t cublas##letter##tp##kind##_v2##end(                                             \
        cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, cublasDiagType_t diagonal,  \
        Int n, const T* a, T* x, Int step) {                                                       \
        return triangle_by_vector(h, fill, op, diagonal, packed_triangle(numbers(a), n, fill),     \
                                  false, numbers(x), step, solves);                                \
    }                                                                                              \
    cublasStatus_t cublas##letter##tb##kind##_v2##end(                                             \
        cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, cublasDiagType_t diagonal,  \
        Int n, Int k, const T* a, Int lda, T* x, Int step) {                                       \
        return triangle_by_vector(h, fill, op, diagonal,                                           \
                                  banded_triangle(numbers(a), lda, n, k, fill), k < 0 || lda <= k, \
                                  numbers(x), step, solves);                                       \
    }
#define CUSET_HOST_BLAS(T, letter, Int, end)        \
    CUSET_HOST_KIND(T, letter, mv, false, Int, end) \
    CUSET_HOST_KIND(T, letter, sv, true, Int, end)
CUSET_HOST_CALLS(CUSET_HOST_BLAS)
#undef CUSET_HOST_BLAS
#undef CUSET_HOST_KIND

}  // extern "C"
