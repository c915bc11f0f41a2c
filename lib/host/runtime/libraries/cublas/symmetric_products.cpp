// cuBLAS on symmetric and Hermitian matrices: products with others, and updates of rank k. One
// triangle is read or written.
#include "cuset_host/cuda_types.h"
#include "full_triangle.h"
#include "products.h"

using namespace cuset_host;

namespace {

template <class T>
cublasStatus_t symmetric_product(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,
                                 std::ptrdiff_t m, std::ptrdiff_t n, const T* alpha_at, const T* a,
                                 std::ptrdiff_t lda, const T* b, std::ptrdiff_t ldb,
                                 const T* beta_at, T* c, std::ptrdiff_t ldc, bool hermitian) {
    const kept_factor<T> alpha(h, alpha_at), beta(h, beta_at);
    const std::ptrdiff_t order = side == CUBLAS_SIDE_LEFT ? m : n;
    const bool is_bad = m < 0 || n < 0 || is_smaller(lda, order) || is_smaller(ldb, m) ||
                        is_smaller(ldc, m) || !is_side(side) || !is_fill(fill) ||
                        has_null(alpha_at, beta_at);
    return run_or_record(h, is_bad, [=] {
        const bool is_zero = *alpha == T(0);  // then neither A nor B is read
        const full_matrix<T> s =
            is_zero ? full_matrix<T>(0, 0) : full_symmetric(a, lda, order, fill, hermitian);
        const matrix<const T> other{b, ldb};
        const matrix<T> to{c, ldc};
        if (side == CUBLAS_SIDE_LEFT)
            combine(m, n, m, *alpha, s, other, *beta, to);
        else
            combine(m, n, n, *alpha, other, s, *beta, to);
    });
}

/// Sizes and enumerations of rank updates: A and B are n x k, or k x n where op is not N.
bool is_bad_update(cublasFillMode_t fill, cublasOperation_t op, std::ptrdiff_t n, std::ptrdiff_t k,
                   std::ptrdiff_t lda, std::ptrdiff_t ldb, std::ptrdiff_t ldc) {
    const std::ptrdiff_t rows = op == CUBLAS_OP_N ? n : k;
    return n < 0 || k < 0 || is_smaller(lda, rows) || is_smaller(ldb, rows) || is_smaller(ldc, n) ||
           !is_fill(fill) || !is_operation(op);
}

/// C = alpha op(A) op(B)' + beta C in one triangle; of Hermitian updates, the diagonal stays real.
template <class T, class Alpha, class Beta>
cublasStatus_t rank_update(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op,
                           std::ptrdiff_t n, std::ptrdiff_t k, const Alpha* alpha_at, const T* a,
                           std::ptrdiff_t lda, const T* b, std::ptrdiff_t ldb, const Beta* beta_at,
                           T* c, std::ptrdiff_t ldc, bool hermitian) {
    const kept_factor<Alpha> alpha(h, alpha_at);
    const kept_factor<Beta> beta(h, beta_at);
    const bool is_bad =
        is_bad_update(fill, op, n, k, lda, ldb, ldc) || has_null(alpha_at) || has_null(beta_at);
    return run_or_record(h, is_bad, [=] {
        if ((*alpha == Alpha(0) || k == 0) && *beta == Beta(1)) return;
        const matrix<const T> x{a, lda}, y{b, ldb};
        const matrix<T> to{c, ldc};
        const auto left = [&](std::ptrdiff_t i, std::ptrdiff_t l) { return taken(x, op, i, l); };
        const auto right = [&](std::ptrdiff_t l, std::ptrdiff_t j) {
            const T own = taken(y, op, j, l);
            return hermitian ? conjugate(own) : own;
        };
        combine(n, n, k, T(*alpha), left, right, T(*beta), to, fill);
        for (std::ptrdiff_t i = 0; i < n && hermitian; ++i) to(i, i) = std::real(to(i, i));
    });
}

/// C = alpha op(A) op(B)' + alpha op(B) op(A)' + beta C in one triangle, where the second alpha is
/// conjugated in Hermitian updates.
template <class T, class Beta>
cublasStatus_t double_rank_update(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op,
                                  std::ptrdiff_t n, std::ptrdiff_t k, const T* alpha_at, const T* a,
                                  std::ptrdiff_t lda, const T* b, std::ptrdiff_t ldb,
                                  const Beta* beta_at, T* c, std::ptrdiff_t ldc, bool hermitian) {
    const kept_factor<T> alpha(h, alpha_at);
    const kept_factor<Beta> beta(h, beta_at);
    const bool is_bad =
        is_bad_update(fill, op, n, k, lda, ldb, ldc) || has_null(alpha_at) || has_null(beta_at);
    return run_or_record(h, is_bad, [=] {
        if ((*alpha == T(0) || k == 0) && *beta == Beta(1)) return;
        const matrix<const T> x{a, lda}, y{b, ldb};
        const matrix<T> to{c, ldc};
        const T first = *alpha, second = hermitian ? conjugate(first) : first;
        const auto left = [&](std::ptrdiff_t i, std::ptrdiff_t l) {
            return l < k ? first * taken(x, op, i, l) : second * taken(y, op, i, l - k);
        };
        const auto right = [&](std::ptrdiff_t l, std::ptrdiff_t j) {
            const T own = l < k ? taken(y, op, j, l) : taken(x, op, j, l - k);
            return hermitian ? conjugate(own) : own;
        };
        combine(n, n, 2 * k, first == T(0) ? first : T(1), left, right, T(*beta), to, fill);
        for (std::ptrdiff_t i = 0; i < n && hermitian; ++i) to(i, i) = std::real(to(i, i));
    });
}

/// Ends the program where a call of complex matrices is to read 8-bit integers, or others.
void need_complex(const char* name, cudaDataType a, cudaDataType c) {
    if (a != CUDA_C_32F || c != CUDA_C_32F)
        fail("unsupported", std::string(name) + " of matrices of types " + std::to_string(a) +
                                " and " + std::to_string(c));
}

}  // namespace

extern "C" {

// The names of symmetric and Hermitian forms: symm and hemm, syrk and herk, syr2k and her2k, syrkx
// and herkx. R is the type of the factors that are real in the latter.
#define CUSET_HOST_FORM(T, R, name, hermitian, Int, end)                                           \
    cublasStatus_t cublas##name##mm_v2##end(                                                       \
        cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, Int m, Int n,              \
        const T* alpha, const T* a, Int lda, const T* b, Int ldb, const T* beta, T* c, Int ldc) {  \
        return symmetric_product(h, side, fill, m, n, numbers(alpha), numbers(a), lda, numbers(b), \
                                 ldb, numbers(beta), numbers(c), ldc, hermitian);                  \
    }                                                                                              \
    cublasStatus_t cublas##name##rk_v2##end(cublasHandle_t h, cublasFillMode_t fill,               \
                                            cublasOperation_t op, Int n, Int k, const R* alpha,    \
                                            const T* a, Int lda, const R* beta, T* c, Int ldc) {   \
        return rank_update(h, fill, op, n, k, numbers(alpha), numbers(a), lda, numbers(a), lda,    \
                           numbers(beta), numbers(c), ldc, hermitian);                             \
    }                                                                                              \
    cublasStatus_t cublas##name##r2k_v2##end(                                                      \
        cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, Int n, Int k,               \
        const T* alpha, const T* a, Int lda, const T* b, Int ldb, const R* beta, T* c, Int ldc) {  \
        return double_rank_update(h, fill, op, n, k, numbers(alpha), numbers(a), lda, numbers(b),  \
                                  ldb, numbers(beta), numbers(c), ldc, hermitian);                 \
    }                                                                                              \
    cublasStatus_t cublas##name##rkx##end(                                                         \
        cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, Int n, Int k,               \
        const T* alpha, const T* a, Int lda, const T* b, Int ldb, const R* beta, T* c, Int ldc) {  \
        return rank_update(h, fill, op, n, k, numbers(alpha), numbers(a), lda, numbers(b), ldb,    \
                           numbers(beta), numbers(c), ldc, hermitian);                             \
    }
#define CUSET_HOST_BLAS(T, letter, Int, end) CUSET_HOST_FORM(T, T, letter##sy, false, Int, end)
CUSET_HOST_CALLS(CUSET_HOST_BLAS)
#undef CUSET_HOST_BLAS
CUSET_HOST_FORM(cuComplex, float, Che, true, int, )
CUSET_HOST_FORM(cuComplex, float, Che, true, int64_t, _64)
CUSET_HOST_FORM(cuDoubleComplex, double, Zhe, true, int, )
CUSET_HOST_FORM(cuDoubleComplex, double, Zhe, true, int64_t, _64)
#undef CUSET_HOST_FORM

#define CUSET_HOST_BLAS(R, name, hermitian, Int, end)                                              \
    cublasStatus_t cublas##name##end(cublasHandle_t h, cublasFillMode_t fill,                      \
                                     cublasOperation_t op, Int n, Int k, const R* alpha,           \
                                     const void* a, cudaDataType type_a, Int lda, const R* beta,   \
                                     void* c, cudaDataType type_c, Int ldc) {                      \
        need_complex("cublas" #name, type_a, type_c);                                              \
        const auto* const from = static_cast<const std::complex<float>*>(a);                       \
        return rank_update(h, fill, op, n, k, numbers(alpha), from, lda, from, lda, numbers(beta), \
                           static_cast<std::complex<float>*>(c), ldc, hermitian);                  \
    }
#define CUSET_HOST_BOTH(R, name, hermitian)    \
    CUSET_HOST_BLAS(R, name, hermitian, int, ) \
    CUSET_HOST_BLAS(R, name, hermitian, int64_t, _64)
CUSET_HOST_BOTH(cuComplex, CsyrkEx, false)
CUSET_HOST_BOTH(cuComplex, Csyrk3mEx, false)
CUSET_HOST_BOTH(float, CherkEx, true)
CUSET_HOST_BOTH(float, Cherk3mEx, true)
#undef CUSET_HOST_BOTH
#undef CUSET_HOST_BLAS

}  // extern "C"
