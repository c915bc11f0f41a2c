// cuBLAS's products of matrices, of all types, alone and in batches.
#include "products.h"

#include "cuset_host/cuda_types.h"

using namespace cuset_host;

namespace {

/// C = alpha op(A) op(B) + beta C for one matrix of a batch.
template <class Types, class A = typename Types::A, class C = typename Types::C,
          class Scale = typename Types::Scale>
void one_product(cublasOperation_t ta, cublasOperation_t tb, std::ptrdiff_t m, std::ptrdiff_t n,
                 std::ptrdiff_t k, Scale alpha, const A* a, std::ptrdiff_t lda, const A* b,
                 std::ptrdiff_t ldb, Scale beta, C* c, std::ptrdiff_t ldc) {
    const matrix<const A> left{a, lda}, right{b, ldb};
    const matrix<C> to{c, ldc};
    if (widened(alpha) == decltype(widened(alpha))(0)) k = 0;  // neither A nor B is read
    multiply<typename Types::S>(
        m, n, k, [&](std::ptrdiff_t i, std::ptrdiff_t p) { return widened(taken(left, ta, i, p)); },
        [&](std::ptrdiff_t p, std::ptrdiff_t j) { return widened(taken(right, tb, p, j)); },
        [&](std::ptrdiff_t i, std::ptrdiff_t j, typename Types::S sum) {
            C& out = to(i, j);
            out = narrowed<C>(scaled(alpha, sum, beta, &out));
        });
}

bool is_bad(cublasOperation_t ta, cublasOperation_t tb, std::ptrdiff_t m, std::ptrdiff_t n,
            std::ptrdiff_t k, std::ptrdiff_t lda, std::ptrdiff_t ldb, std::ptrdiff_t ldc,
            std::ptrdiff_t count) {
    return m < 0 || n < 0 || k < 0 || count < 0 || is_smaller(lda, ta == CUBLAS_OP_N ? m : k) ||
           is_smaller(ldb, tb == CUBLAS_OP_N ? k : n) || is_smaller(ldc, m);
}

/// The products of a batch: matrix i of `a` is a(i), and so on.
template <class Types, class Scale, class A, class B, class C>
cublasStatus_t products(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                        int k, const Scale* alpha_at, const A& a, int lda, const B& b, int ldb,
                        const Scale* beta_at, const C& c, int ldc, int count) {
    const kept_factor<Scale> alpha(h, alpha_at), beta(h, beta_at);
    return run_or_record(h, is_bad(ta, tb, m, n, k, lda, ldb, ldc, count), [=] {
        for (int i = 0; i < count; ++i)
            one_product<Types>(ta, tb, m, n, k, *alpha, a(i), lda, b(i), ldb, *beta, c(i), ldc);
    });
}

template <class T>
struct plain_types {
    using type = product_types<T, T, T, T>;
};
template <>
struct plain_types<__half> {
    using type = product_types<__half, __half, float, __half>;
};
template <class T>
using plain = typename plain_types<typename number_behind<T>::type>::type;

/// The type of alpha and beta that cublasGemmEx takes for a type of computing.
cudaDataType scale_of(cublasComputeType_t compute, cudaDataType c) {
    if (is_any(compute, {CUBLAS_COMPUTE_16F, CUBLAS_COMPUTE_16F_PEDANTIC})) return CUDA_R_16F;
    if (is_any(compute, {CUBLAS_COMPUTE_32I, CUBLAS_COMPUTE_32I_PEDANTIC})) return CUDA_R_32I;
    if (is_any(compute, {CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F_PEDANTIC}))
        return c == CUDA_C_64F ? CUDA_C_64F : CUDA_R_64F;
    return c == CUDA_C_32F ? CUDA_C_32F : CUDA_R_32F;
}

}  // namespace

extern "C" {

#define CUSET_HOST_BLAS(T, letter)                                                                 \
    cublasStatus_t cublas##letter(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,    \
                                  int m, int n, int k, const T* alpha, const T* a, int lda,        \
                                  const T* b, int ldb, const T* beta, T* c, int ldc) {             \
        return products<plain<T>>(h, ta, tb, m, n, k, numbers(alpha), strided(numbers(a), 0), lda, \
                                  strided(numbers(b), 0), ldb, numbers(beta),                      \
                                  strided(numbers(c), 0), ldc, 1);                                 \
    }
CUSET_HOST_BLAS(float, Sgemm_v2)
CUSET_HOST_BLAS(double, Dgemm_v2)
CUSET_HOST_BLAS(cuComplex, Cgemm_v2)
CUSET_HOST_BLAS(cuDoubleComplex, Zgemm_v2)
CUSET_HOST_BLAS(cuComplex, Cgemm3m)
CUSET_HOST_BLAS(cuDoubleComplex, Zgemm3m)
CUSET_HOST_BLAS(__half, Hgemm)
#undef CUSET_HOST_BLAS

#define CUSET_HOST_BLAS(T, letter)                                                                 \
    cublasStatus_t cublas##letter##gemmStridedBatched(                                             \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,         \
        const T* alpha, const T* a, int lda, long long step_a, const T* b, int ldb,                \
        long long step_b, const T* beta, T* c, int ldc, long long step_c, int count) {             \
        return products<plain<T>>(h, ta, tb, m, n, k, numbers(alpha), strided(numbers(a), step_a), \
                                  lda, strided(numbers(b), step_b), ldb, numbers(beta),            \
                                  strided(numbers(c), step_c), ldc, count);                        \
    }                                                                                              \
    cublasStatus_t cublas##letter##gemmBatched(                                                    \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,         \
        const T* alpha, const T* const a[], int lda, const T* const b[], int ldb, const T* beta,   \
        T* const c[], int ldc, int count) {                                                        \
        return products<plain<T>>(h, ta, tb, m, n, k, numbers(alpha), listed(lists(a)), lda,       \
                                  listed(lists(b)), ldb, numbers(beta), listed(lists(c)), ldc,     \
                                  count);                                                          \
    }
CUSET_HOST_BLAS(float, S)
CUSET_HOST_BLAS(double, D)
CUSET_HOST_BLAS(cuComplex, C)
CUSET_HOST_BLAS(cuDoubleComplex, Z)
CUSET_HOST_BLAS(__half, H)
#undef CUSET_HOST_BLAS

cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
    const void* alpha, const void* a, cudaDataType type_a, int lda, long long step_a, const void* b,
    cudaDataType type_b, int ldb, long long step_b, const void* beta, void* c, cudaDataType type_c,
    int ldc, long long step_c, int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
    return with_product_types(
        "cublasGemmEx and its strided batches", compute, scale_of(compute, type_c), type_a, type_b,
        type_c, [&](auto types) {
            using Types = decltype(types);
            using A = typename Types::A;
            using Scale = typename Types::Scale;
            return products<Types>(h, ta, tb, m, n, k, static_cast<const Scale*>(alpha),
                                   strided(static_cast<const A*>(a), step_a), lda,
                                   strided(static_cast<const A*>(b), step_b), ldb,
                                   static_cast<const Scale*>(beta),
                                   strided(static_cast<typename Types::C*>(c), step_c), ldc, count);
        });
}

cublasStatus_t cublasGemmBatchedEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,
                                   int m, int n, int k, const void* alpha, const void* const a[],
                                   cudaDataType type_a, int lda, const void* const b[],
                                   cudaDataType type_b, int ldb, const void* beta, void* const c[],
                                   cudaDataType type_c, int ldc, int count,
                                   cublasComputeType_t compute, cublasGemmAlgo_t) {
    return with_product_types("cublasGemmBatchedEx", compute, scale_of(compute, type_c), type_a,
                              type_b, type_c, [&](auto types) {
                                  using Types = decltype(types);
                                  using A = typename Types::A;
                                  using C = typename Types::C;
                                  using Scale = typename Types::Scale;
                                  return products<Types>(
                                      h, ta, tb, m, n, k, static_cast<const Scale*>(alpha),
                                      listed(reinterpret_cast<const A* const*>(a)), lda,
                                      listed(reinterpret_cast<const A* const*>(b)), ldb,
                                      static_cast<const Scale*>(beta),
                                      listed(reinterpret_cast<C* const*>(c)), ldc, count);
                              });
}

cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                            int n, int k, const void* alpha, const void* a, cudaDataType type_a,
                            int lda, const void* b, cudaDataType type_b, int ldb, const void* beta,
                            void* c, cudaDataType type_c, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm) {
    return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb,
                                      0, beta, c, type_c, ldc, 0, 1, compute, algorithm);
}

cublasStatus_t cublasSgemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                             int n, int k, const float* alpha, const void* a, cudaDataType type_a,
                             int lda, const void* b, cudaDataType type_b, int ldb,
                             const float* beta, void* c, cudaDataType type_c, int ldc) {
    return cublasGemmEx(h, ta, tb, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c,
                        ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

}  // extern "C"
