// cuBLAS over plain loops: levels 1 and 2 in double, products of matrices in blocks of columns.
// Calls that are missing here are named by the linker. Empty on machines without the toolkit's
// headers, where no program can include cuBLAS's.
#include "cuset_host/cuda_types.h"

#if CUSET_HOST_TOOLKIT && __has_include(<cublas_v2.h>)

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "cuset_host/faults.h"
#include "library_cublas.h"

using namespace cuset_host;

namespace {

/// C = alpha op(A) op(B) + beta C, in columns; sums in S.
template <class S, class A, class C>
void multiply(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, S alpha, const A* a,
              int lda, const A* b, int ldb, S beta, C* c, int ldc) {
    // op(A) by rows, so that a sum runs over neighbours.
    std::vector<S> rows(static_cast<std::size_t>(m) * static_cast<std::size_t>(k));
    for (int i = 0; i < m; ++i)
        for (int p = 0; p < k; ++p)
            rows[static_cast<std::size_t>(i) * static_cast<std::size_t>(k) +
                 static_cast<std::size_t>(p)] =
                to_float(ta == CUBLAS_OP_N ? a[i + static_cast<std::ptrdiff_t>(p) * lda]
                                           : a[p + static_cast<std::ptrdiff_t>(i) * lda]);
    std::vector<S> column(static_cast<std::size_t>(k));
    for (int j = 0; j < n; ++j) {
        for (int p = 0; p < k; ++p)
            column[static_cast<std::size_t>(p)] =
                to_float(tb == CUBLAS_OP_N ? b[p + static_cast<std::ptrdiff_t>(j) * ldb]
                                           : b[j + static_cast<std::ptrdiff_t>(p) * ldb]);
        for (int i = 0; i < m; ++i) {
            const S* row = rows.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(k);
            constexpr int lanes = 16;
            S part[lanes] = {};
            int p = 0;
            for (; p + lanes <= k; p += lanes)
                for (int l = 0; l < lanes; ++l)
                    part[l] += row[p + l] * column[static_cast<std::size_t>(p + l)];
            S sum = 0;
            for (const S each : part) sum += each;
            for (; p < k; ++p) sum += row[p] * column[static_cast<std::size_t>(p)];
            C& to = c[i + static_cast<std::ptrdiff_t>(j) * ldc];
            const S before = beta == S(0) ? S(0) : beta * static_cast<S>(to_float(to));
            to = from_float<C>(alpha * sum + before);
        }
    }
}

bool is_bad(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, int lda, int ldb,
            int ldc) {
    return m < 0 || n < 0 || k < 0 || lda < std::max(1, ta == CUBLAS_OP_N ? m : k) ||
           ldb < std::max(1, tb == CUBLAS_OP_N ? k : n) || ldc < std::max(1, m);
}

template <class S, class A, class C>
cublasStatus_t product(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                       int k, const S* alpha, const A* a, int lda, long long step_a, const A* b,
                       int ldb, long long step_b, const S* beta, C* c, int ldc, long long step_c,
                       int count) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (is_bad(ta, tb, m, n, k, lda, ldb, ldc) || count < 0) return CUBLAS_STATUS_INVALID_VALUE;
    const library_kernel running(h->stream);
    for (int i = 0; i < count; ++i)
        multiply<S>(ta, tb, m, n, k, *alpha, a + i * step_a, lda, b + i * step_b, ldb, *beta,
                    c + i * step_c, ldc);
    return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t products(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                        int k, const T* alpha, const T* const a[], int lda, const T* const b[],
                        int ldb, const T* beta, T* const c[], int ldc, int count) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (is_bad(ta, tb, m, n, k, lda, ldb, ldc)) return CUBLAS_STATUS_INVALID_VALUE;
    const library_kernel running(h->stream);
    for (int i = 0; i < count; ++i)
        multiply<T>(ta, tb, m, n, k, *alpha, a[i], lda, b[i], ldb, *beta, c[i], ldc);
    return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t times_vector(cublasHandle_t h, cublasOperation_t t, int m, int n, const T* alpha,
                            const T* a, int lda, const T* x, int step_x, const T* beta, T* y,
                            int step_y) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || lda < std::max(1, m) || step_x == 0 || step_y == 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    const library_kernel running(h->stream);
    const int rows = t == CUBLAS_OP_N ? m : n, columns = t == CUBLAS_OP_N ? n : m;
    const auto at = [](int i, int count, int step) {
        return static_cast<std::ptrdiff_t>(step > 0 ? i : i - count + 1) * step;
    };
    for (int i = 0; i < rows; ++i) {
        double sum = 0;
        for (int j = 0; j < columns; ++j)
            sum += static_cast<double>(t == CUBLAS_OP_N
                                           ? a[i + static_cast<std::ptrdiff_t>(j) * lda]
                                           : a[j + static_cast<std::ptrdiff_t>(i) * lda]) *
                   x[at(j, columns, step_x)];
        T& to = y[at(i, rows, step_y)];
        to = static_cast<T>(*alpha * sum + (*beta == T(0) ? 0.0 : static_cast<double>(*beta) * to));
    }
    return CUBLAS_STATUS_SUCCESS;
}

/// Runs body(i, place in x, place in y) for each element.
template <class Body>
cublasStatus_t each(cublasHandle_t h, int n, int step_x, int step_y, const Body& body) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    const library_kernel running(h->stream);
    for (int i = 0; i < n; ++i)
        body(i, static_cast<std::ptrdiff_t>(step_x > 0 ? i : i - n + 1) * step_x,
             static_cast<std::ptrdiff_t>(step_y > 0 ? i : i - n + 1) * step_y);
    return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t give(cublasHandle_t h, T* to, T value) {
    const library_kernel running(h->stream);
    *to = value;
    return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* h) {
    if (h == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *h = new cublasContext;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t h) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    delete h;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
    *version = 130100;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t h, cudaStream_t stream) {
    h->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t h, cudaStream_t* stream) {
    *stream = h->stream;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t h, cublasPointerMode_t mode) {
    h->pointers = mode;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t h, cublasPointerMode_t* mode) {
    *mode = h->pointers;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t h, cublasMath_t mode) {
    h->math = mode;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetMathMode(cublasHandle_t h, cublasMath_t* mode) {
    *mode = h->math;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t h, cublasAtomicsMode_t mode) {
    h->atomics = mode;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void*, size_t) {
    return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusName(cublasStatus_t status) {
    switch (status) {
        case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
        case CUBLAS_STATUS_NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
        case CUBLAS_STATUS_ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
        case CUBLAS_STATUS_INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
        case CUBLAS_STATUS_ARCH_MISMATCH: return "CUBLAS_STATUS_ARCH_MISMATCH";
        case CUBLAS_STATUS_EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
        case CUBLAS_STATUS_INTERNAL_ERROR: return "CUBLAS_STATUS_INTERNAL_ERROR";
        case CUBLAS_STATUS_NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
        default: return "CUBLAS_STATUS_UNKNOWN";
    }
}
const char* cublasGetStatusString(cublasStatus_t status) { return cublasGetStatusName(status); }

#define CUSET_HOST_BLAS(T, letter, small)                                                          \
    cublasStatus_t cublas##letter##gemm_v2(                                                        \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,         \
        const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {  \
        return product<T>(h, ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);    \
    }                                                                                              \
    cublasStatus_t cublas##letter##gemmStridedBatched(                                             \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,         \
        const T* alpha, const T* a, int lda, long long step_a, const T* b, int ldb,                \
        long long step_b, const T* beta, T* c, int ldc, long long step_c, int count) {             \
        return product<T>(h, ta, tb, m, n, k, alpha, a, lda, step_a, b, ldb, step_b, beta, c, ldc, \
                          step_c, count);                                                          \
    }                                                                                              \
    cublasStatus_t cublas##letter##gemmBatched(                                                    \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,         \
        const T* alpha, const T* const a[], int lda, const T* const b[], int ldb, const T* beta,   \
        T* const c[], int ldc, int count) {                                                        \
        return products(h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count);           \
    }                                                                                              \
    cublasStatus_t cublas##letter##gemv_v2(cublasHandle_t h, cublasOperation_t t, int m, int n,    \
                                           const T* alpha, const T* a, int lda, const T* x,        \
                                           int step_x, const T* beta, T* y, int step_y) {          \
        return times_vector(h, t, m, n, alpha, a, lda, x, step_x, beta, y, step_y);                \
    }                                                                                              \
    cublasStatus_t cublas##letter##ger_v2(cublasHandle_t h, int m, int n, const T* alpha,          \
                                          const T* x, int step_x, const T* y, int step_y, T* a,    \
                                          int lda) {                                               \
        return each(h, n, step_y, step_y, [&](int j, std::ptrdiff_t at, std::ptrdiff_t) {          \
            for (int i = 0; i < m; ++i)                                                            \
                a[i + static_cast<std::ptrdiff_t>(j) * lda] += *alpha * x[i * step_x] * y[at];     \
        });                                                                                        \
    }                                                                                              \
    cublasStatus_t cublas##letter##geam(                                                           \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,                \
        const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc) {  \
        return each(h, n, 1, 1, [&](int j, std::ptrdiff_t, std::ptrdiff_t) {                       \
            for (int i = 0; i < m; ++i) {                                                          \
                T sum = 0;                                                                         \
                if (*alpha != T(0))                                                                \
                    sum += *alpha * (ta == CUBLAS_OP_N ? a[i + j * lda] : a[j + i * lda]);         \
                if (*beta != T(0))                                                                 \
                    sum += *beta * (tb == CUBLAS_OP_N ? b[i + j * ldb] : b[j + i * ldb]);          \
                c[i + j * ldc] = sum;                                                              \
            }                                                                                      \
        });                                                                                        \
    }                                                                                              \
    cublasStatus_t cublas##letter##axpy_v2(cublasHandle_t h, int n, const T* alpha, const T* x,    \
                                           int step_x, T* y, int step_y) {                         \
        return each(h, n, step_x, step_y,                                                          \
                    [&](int, std::ptrdiff_t i, std::ptrdiff_t j) { y[j] += *alpha * x[i]; });      \
    }                                                                                              \
    cublasStatus_t cublas##letter##scal_v2(cublasHandle_t h, int n, const T* alpha, T* x,          \
                                           int step) {                                             \
        return each(h, n, step, 1,                                                                 \
                    [&](int, std::ptrdiff_t i, std::ptrdiff_t) { x[i] *= *alpha; });               \
    }                                                                                              \
    cublasStatus_t cublas##letter##copy_v2(cublasHandle_t h, int n, const T* x, int step_x, T* y,  \
                                           int step_y) {                                           \
        return each(h, n, step_x, step_y,                                                          \
                    [&](int, std::ptrdiff_t i, std::ptrdiff_t j) { y[j] = x[i]; });                \
    }                                                                                              \
    cublasStatus_t cublas##letter##swap_v2(cublasHandle_t h, int n, T* x, int step_x, T* y,        \
                                           int step_y) {                                           \
        return each(h, n, step_x, step_y,                                                          \
                    [&](int, std::ptrdiff_t i, std::ptrdiff_t j) { std::swap(x[i], y[j]); });      \
    }                                                                                              \
    cublasStatus_t cublas##letter##dot_v2(cublasHandle_t h, int n, const T* x, int step_x,         \
                                          const T* y, int step_y, T* result) {                     \
        double sum = 0;                                                                            \
        const cublasStatus_t done =                                                                \
            each(h, n, step_x, step_y, [&](int, std::ptrdiff_t i, std::ptrdiff_t j) {              \
                sum += static_cast<double>(x[i]) * y[j];                                           \
            });                                                                                    \
        return done == CUBLAS_STATUS_SUCCESS ? give(h, result, static_cast<T>(sum)) : done;        \
    }                                                                                              \
    cublasStatus_t cublas##letter##nrm2_v2(cublasHandle_t h, int n, const T* x, int step,          \
                                           T* result) {                                            \
        double sum = 0;                                                                            \
        const cublasStatus_t done =                                                                \
            each(h, n, step, 1, [&](int, std::ptrdiff_t i, std::ptrdiff_t) {                       \
                sum += static_cast<double>(x[i]) * x[i];                                           \
            });                                                                                    \
        return done == CUBLAS_STATUS_SUCCESS ? give(h, result, static_cast<T>(std::sqrt(sum)))     \
                                             : done;                                               \
    }                                                                                              \
    cublasStatus_t cublas##letter##asum_v2(cublasHandle_t h, int n, const T* x, int step,          \
                                           T* result) {                                            \
        double sum = 0;                                                                            \
        const cublasStatus_t done =                                                                \
            each(h, n, step, 1, [&](int, std::ptrdiff_t i, std::ptrdiff_t) {                       \
                sum += std::fabs(static_cast<double>(x[i]));                                       \
            });                                                                                    \
        return done == CUBLAS_STATUS_SUCCESS ? give(h, result, static_cast<T>(sum)) : done;        \
    }                                                                                              \
    cublasStatus_t cublasI##small##amax_v2(cublasHandle_t h, int n, const T* x, int step,          \
                                           int* result) {                                          \
        int best = 0;                                                                              \
        T most = -1;                                                                               \
        const cublasStatus_t done =                                                                \
            each(h, n, step, 1, [&](int k, std::ptrdiff_t i, std::ptrdiff_t) {                     \
                if (std::fabs(x[i]) > most) most = std::fabs(x[i]), best = k + 1;                  \
            });                                                                                    \
        return done == CUBLAS_STATUS_SUCCESS ? give(h, result, best) : done;                       \
    }
CUSET_HOST_BLAS(float, S, s)
CUSET_HOST_BLAS(double, D, d)
#undef CUSET_HOST_BLAS

cublasStatus_t cublasHgemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                           int n, int k, const __half* alpha, const __half* a, int lda,
                           const __half* b, int ldb, const __half* beta, __half* c, int ldc) {
    const float fa = to_float(*alpha), fb = to_float(*beta);
    return product<float>(h, ta, tb, m, n, k, &fa, a, lda, 0, b, ldb, 0, &fb, c, ldc, 0, 1);
}

cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t h, cublasOperation_t ta,
                                         cublasOperation_t tb, int m, int n, int k,
                                         const __half* alpha, const __half* a, int lda,
                                         long long step_a, const __half* b, int ldb,
                                         long long step_b, const __half* beta, __half* c, int ldc,
                                         long long step_c, int count) {
    const float fa = to_float(*alpha), fb = to_float(*beta);
    return product<float>(h, ta, tb, m, n, k, &fa, a, lda, step_a, b, ldb, step_b, &fb, c, ldc,
                          step_c, count);
}

cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
    const void* alpha, const void* a, cudaDataType type_a, int lda, long long step_a, const void* b,
    cudaDataType type_b, int ldb, long long step_b, const void* beta, void* c, cudaDataType type_c,
    int ldc, long long step_c, int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
    if (type_a != type_b) fail("unsupported", "cublasGemmEx of matrices of different types");
    const auto with = [&](auto* pa, auto* pc, auto* scale) {
        using A = std::remove_pointer_t<decltype(pa)>;
        using C = std::remove_pointer_t<decltype(pc)>;
        using S = std::remove_pointer_t<decltype(scale)>;
        return product<S>(h, ta, tb, m, n, k, static_cast<const S*>(alpha),
                          static_cast<const A*>(a), lda, step_a, static_cast<const A*>(b), ldb,
                          step_b, static_cast<const S*>(beta), static_cast<C*>(c), ldc, step_c,
                          count);
    };
    const bool in_float =
        compute == CUBLAS_COMPUTE_32F || compute == CUBLAS_COMPUTE_32F_FAST_TF32 ||
        compute == CUBLAS_COMPUTE_32F_FAST_16F || compute == CUBLAS_COMPUTE_32F_FAST_16BF ||
        compute == CUBLAS_COMPUTE_32F_PEDANTIC;
    float* f = nullptr;
    double* d = nullptr;
    __half* half = nullptr;
    __nv_bfloat16* brain = nullptr;
    if (in_float && type_a == CUDA_R_32F && type_c == CUDA_R_32F) return with(f, f, f);
    if (in_float && type_a == CUDA_R_16F && type_c == CUDA_R_16F) return with(half, half, f);
    if (in_float && type_a == CUDA_R_16F && type_c == CUDA_R_32F) return with(half, f, f);
    if (in_float && type_a == CUDA_R_16BF && type_c == CUDA_R_16BF) return with(brain, brain, f);
    if (in_float && type_a == CUDA_R_16BF && type_c == CUDA_R_32F) return with(brain, f, f);
    if (compute == CUBLAS_COMPUTE_64F && type_a == CUDA_R_64F && type_c == CUDA_R_64F)
        return with(d, d, d);
    if (compute == CUBLAS_COMPUTE_16F && type_a == CUDA_R_16F && type_c == CUDA_R_16F) {
        const float fa = to_float(*static_cast<const __half*>(alpha));
        const float fb = to_float(*static_cast<const __half*>(beta));
        return product<float>(h, ta, tb, m, n, k, &fa, static_cast<const __half*>(a), lda, step_a,
                              static_cast<const __half*>(b), ldb, step_b, &fb,
                              static_cast<__half*>(c), ldc, step_c, count);
    }
    fail("unsupported",
         "cublasGemmEx of types " + std::to_string(type_a) + " and " + std::to_string(type_c));
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

#endif
