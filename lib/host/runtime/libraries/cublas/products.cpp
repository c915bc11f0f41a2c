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
    return !is_operation(ta) || !is_operation(tb) || m < 0 || n < 0 || k < 0 || count < 0 ||
           is_smaller(lda, ta == CUBLAS_OP_N ? m : k) ||
           is_smaller(ldb, tb == CUBLAS_OP_N ? k : n) || is_smaller(ldc, m);
}

/// The products of a batch: matrix i of `a` is a(i), and so on.
template <class Types, class Scale, class A, class B, class C>
cublasStatus_t products(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,
                        std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k, const Scale* alpha_at,
                        const A& a, std::ptrdiff_t lda, const B& b, std::ptrdiff_t ldb,
                        const Scale* beta_at, const C& c, std::ptrdiff_t ldc,
                        std::ptrdiff_t count) {
    const kept_factor<Scale> alpha(h, alpha_at), beta(h, beta_at);
    const bool is_wrong =
        is_bad(ta, tb, m, n, k, lda, ldb, ldc, count) || has_null(alpha_at, beta_at);
    return run_or_record(h, is_wrong, [=] {
        for (std::ptrdiff_t i = 0; i < count; ++i)
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

/// Groups of products: each has its sizes and factors, in host memory, and lists of matrices follow
/// each other.
template <class Types, class A = typename Types::A, class C = typename Types::C,
          class Scale = typename Types::Scale, class Int>
cublasStatus_t grouped(cublasHandle_t h, const cublasOperation_t* ta, const cublasOperation_t* tb,
                       const Int* m, const Int* n, const Int* k, const Scale* alpha,
                       const A* const* a, const Int* lda, const A* const* b, const Int* ldb,
                       const Scale* beta, C* const* c, const Int* ldc, std::ptrdiff_t groups,
                       const Int* sizes) {
    bool is_wrong = groups < 0;
    for (std::ptrdiff_t g = 0; g < groups && !is_wrong; ++g)
        is_wrong = is_bad(ta[g], tb[g], m[g], n[g], k[g], lda[g], ldb[g], ldc[g], sizes[g]);
    return run(h, is_wrong, [&] {
        std::ptrdiff_t next = 0;
        for (std::ptrdiff_t g = 0; g < groups; ++g)
            for (std::ptrdiff_t i = 0; i < sizes[g]; ++i, ++next)
                one_product<Types>(ta[g], tb[g], m[g], n[g], k[g], alpha[g], a[next], lda[g],
                                   b[next], ldb[g], beta[g], c[next], ldc[g]);
    });
}

cublasStatus_t products_of_types(const char* name, cublasHandle_t h, cublasOperation_t ta,
                                 cublasOperation_t tb, std::ptrdiff_t m, std::ptrdiff_t n,
                                 std::ptrdiff_t k, const void* alpha, const void* a,
                                 cudaDataType type_a, std::ptrdiff_t lda, long long step_a,
                                 const void* b, cudaDataType type_b, std::ptrdiff_t ldb,
                                 long long step_b, const void* beta, void* c, cudaDataType type_c,
                                 std::ptrdiff_t ldc, long long step_c, std::ptrdiff_t count,
                                 cublasComputeType_t compute) {
    return with_product_types(
        name, compute, scale_of(compute, type_c), type_a, type_b, type_c, [&](auto types) {
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

cublasStatus_t batch_of_types(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,
                              std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k,
                              const void* alpha, const void* const a[], cudaDataType type_a,
                              std::ptrdiff_t lda, const void* const b[], cudaDataType type_b,
                              std::ptrdiff_t ldb, const void* beta, void* const c[],
                              cudaDataType type_c, std::ptrdiff_t ldc, std::ptrdiff_t count,
                              cublasComputeType_t compute) {
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

}  // namespace

extern "C" {

#define CUSET_HOST_BLAS(T, name, Int, end)                                                         \
    cublasStatus_t cublas##name##end(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, \
                                     Int m, Int n, Int k, const T* alpha, const T* a, Int lda,     \
                                     const T* b, Int ldb, const T* beta, T* c, Int ldc) {          \
        return products<plain<T>>(h, ta, tb, m, n, k, numbers(alpha), strided(numbers(a), 0), lda, \
                                  strided(numbers(b), 0), ldb, numbers(beta),                      \
                                  strided(numbers(c), 0), ldc, 1);                                 \
    }
#define CUSET_HOST_BOTH(T, name)    \
    CUSET_HOST_BLAS(T, name, int, ) \
    CUSET_HOST_BLAS(T, name, int64_t, _64)
CUSET_HOST_BOTH(float, Sgemm_v2)
CUSET_HOST_BOTH(double, Dgemm_v2)
CUSET_HOST_BOTH(cuComplex, Cgemm_v2)
CUSET_HOST_BOTH(cuDoubleComplex, Zgemm_v2)
CUSET_HOST_BOTH(cuComplex, Cgemm3m)
CUSET_HOST_BOTH(cuDoubleComplex, Zgemm3m)
CUSET_HOST_BOTH(__half, Hgemm)
#undef CUSET_HOST_BLAS

#define CUSET_HOST_BLAS(T, name, Int, end)                                                         \
    cublasStatus_t cublas##name##StridedBatched##end(                                              \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, Int m, Int n, Int k,         \
        const T* alpha, const T* a, Int lda, long long step_a, const T* b, Int ldb,                \
        long long step_b, const T* beta, T* c, Int ldc, long long step_c, Int count) {             \
        return products<plain<T>>(h, ta, tb, m, n, k, numbers(alpha), strided(numbers(a), step_a), \
                                  lda, strided(numbers(b), step_b), ldb, numbers(beta),            \
                                  strided(numbers(c), step_c), ldc, count);                        \
    }                                                                                              \
    cublasStatus_t cublas##name##Batched##end(                                                     \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, Int m, Int n, Int k,         \
        const T* alpha, const T* const a[], Int lda, const T* const b[], Int ldb, const T* beta,   \
        T* const c[], Int ldc, Int count) {                                                        \
        return products<plain<T>>(h, ta, tb, m, n, k, numbers(alpha), listed(lists(a)), lda,       \
                                  listed(lists(b)), ldb, numbers(beta), listed(lists(c)), ldc,     \
                                  count);                                                          \
    }
CUSET_HOST_BOTH(float, Sgemm)
CUSET_HOST_BOTH(double, Dgemm)
CUSET_HOST_BOTH(cuComplex, Cgemm)
CUSET_HOST_BOTH(cuDoubleComplex, Zgemm)
CUSET_HOST_BOTH(cuComplex, Cgemm3m)
CUSET_HOST_BOTH(__half, Hgemm)
#undef CUSET_HOST_BLAS

#define CUSET_HOST_BLAS(T, letter, Int, end)                                                      \
    cublasStatus_t cublas##letter##gemmGroupedBatched##end(                                       \
        cublasHandle_t h, const cublasOperation_t ta[], const cublasOperation_t tb[],             \
        const Int m[], const Int n[], const Int k[], const T alpha[], const T* const a[],         \
        const Int lda[], const T* const b[], const Int ldb[], const T beta[], T* const c[],       \
        const Int ldc[], Int groups, const Int sizes[]) {                                         \
        return grouped<plain<T>>(h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, groups, \
                                 sizes);                                                          \
    }
CUSET_HOST_REAL_CALLS(CUSET_HOST_BLAS)
#undef CUSET_HOST_BLAS
#undef CUSET_HOST_BOTH

#define CUSET_HOST_BLAS(Int, end)                                                                 \
    cublasStatus_t cublasGemmStridedBatchedEx##end(                                               \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, Int m, Int n, Int k,        \
        const void* alpha, const void* a, cudaDataType type_a, Int lda, long long step_a,         \
        const void* b, cudaDataType type_b, Int ldb, long long step_b, const void* beta, void* c, \
        cudaDataType type_c, Int ldc, long long step_c, Int count, cublasComputeType_t compute,   \
        cublasGemmAlgo_t) {                                                                       \
        return products_of_types("cublasGemmEx and its strided batches", h, ta, tb, m, n, k,      \
                                 alpha, a, type_a, lda, step_a, b, type_b, ldb, step_b, beta, c,  \
                                 type_c, ldc, step_c, count, compute);                            \
    }                                                                                             \
    cublasStatus_t cublasGemmEx##end(                                                             \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, Int m, Int n, Int k,        \
        const void* alpha, const void* a, cudaDataType type_a, Int lda, const void* b,            \
        cudaDataType type_b, Int ldb, const void* beta, void* c, cudaDataType type_c, Int ldc,    \
        cublasComputeType_t compute, cublasGemmAlgo_t) {                                          \
        return products_of_types("cublasGemmEx and its strided batches", h, ta, tb, m, n, k,      \
                                 alpha, a, type_a, lda, 0, b, type_b, ldb, 0, beta, c, type_c,    \
                                 ldc, 0, 1, compute);                                             \
    }                                                                                             \
    cublasStatus_t cublasGemmBatchedEx##end(                                                      \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, Int m, Int n, Int k,        \
        const void* alpha, const void* const a[], cudaDataType type_a, Int lda,                   \
        const void* const b[], cudaDataType type_b, Int ldb, const void* beta, void* const c[],   \
        cudaDataType type_c, Int ldc, Int count, cublasComputeType_t compute, cublasGemmAlgo_t) { \
        return batch_of_types(h, ta, tb, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, \
                              type_c, ldc, count, compute);                                       \
    }                                                                                             \
    cublasStatus_t cublasGemmGroupedBatchedEx##end(                                               \
        cublasHandle_t h, const cublasOperation_t ta[], const cublasOperation_t tb[],             \
        const Int m[], const Int n[], const Int k[], const void* alpha, const void* const a[],    \
        cudaDataType type_a, const Int lda[], const void* const b[], cudaDataType type_b,         \
        const Int ldb[], const void* beta, void* const c[], cudaDataType type_c, const Int ldc[], \
        Int groups, const Int sizes[], cublasComputeType_t compute) {                             \
        return with_product_types(                                                                \
            "cublasGemmGroupedBatchedEx", compute, scale_of(compute, type_c), type_a, type_b,     \
            type_c, [&](auto types) {                                                             \
                using Types = decltype(types);                                                    \
                using A = typename Types::A;                                                      \
                using Scale = typename Types::Scale;                                              \
                return grouped<Types>(                                                            \
                    h, ta, tb, m, n, k, static_cast<const Scale*>(alpha),                         \
                    reinterpret_cast<const A* const*>(a), lda,                                    \
                    reinterpret_cast<const A* const*>(b), ldb, static_cast<const Scale*>(beta),   \
                    reinterpret_cast<typename Types::C* const*>(c), ldc, groups, sizes);          \
            });                                                                                   \
    }
CUSET_HOST_BLAS(int, )
CUSET_HOST_BLAS(int64_t, _64)
#undef CUSET_HOST_BLAS

// Matrices of other types than the factors.
#define CUSET_HOST_BLAS(T, name, Int, end)                                                        \
    cublasStatus_t cublas##name##end(                                                             \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, Int m, Int n, Int k,        \
        const T* alpha, const void* a, cudaDataType type_a, Int lda, const void* b,               \
        cudaDataType type_b, Int ldb, const T* beta, void* c, cudaDataType type_c, Int ldc) {     \
        return products_of_types("cublas" #name, h, ta, tb, m, n, k, alpha, a, type_a, lda, 0, b, \
                                 type_b, ldb, 0, beta, c, type_c, ldc, 0, 1, CUBLAS_COMPUTE_32F); \
    }
CUSET_HOST_BLAS(float, SgemmEx, int, )
CUSET_HOST_BLAS(float, SgemmEx, int64_t, _64)
CUSET_HOST_BLAS(cuComplex, CgemmEx, int, )
CUSET_HOST_BLAS(cuComplex, CgemmEx, int64_t, _64)
CUSET_HOST_BLAS(cuComplex, Cgemm3mEx, int, )
CUSET_HOST_BLAS(cuComplex, Cgemm3mEx, int64_t, _64)
#undef CUSET_HOST_BLAS

}  // extern "C"
