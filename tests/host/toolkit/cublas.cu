// cuBLAS's common calls against plain loops: products with transposed matrices and steps between
// rows, batches, vectors, and what a wrong size gives.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include "check.h"

int main() {
    constexpr int m = 5, n = 7, k = 37, lda = 40, ldb = 9, ldc = 6;
    std::vector<float> a(lda * m), b(ldb * k), c(ldc * n, 0.5f);
    for (size_t i = 0; i < a.size(); ++i) a[i] = float(i * 7 % 11) - 5;
    for (size_t i = 0; i < b.size(); ++i) b[i] = float(i * 5 % 13) - 6;
    cublasHandle_t handle;
    OK(cublasCreate(&handle));
    const float alpha = 2, beta = -1;
    float *da = device(a), *db = device(b), *dc = device(c);
    // C = 2 Aᵀ Bᵀ - C
    OK(cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_T, m, n, k, &alpha, da, lda, db, ldb, &beta, dc,
                   ldc));
    MUST(cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_T, m, n, k, &alpha, da, k - 1, db, ldb, &beta,
                     dc, ldc) == CUBLAS_STATUS_INVALID_VALUE);
    const auto got = taken(dc, c.size());
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int p = 0; p < k; ++p) sum += a[p + i * lda] * b[j + p * ldb];
            MUST(got[i + j * ldc] == 2 * sum - 0.5f);
        }
    for (int j = 0; j < n; ++j) MUST(got[m + j * ldc] == 0.5f);
    std::vector<double> x(20), y(20, 1);
    for (int i = 0; i < 20; ++i) x[i] = i - 10;
    double *dx = device(x), *dy = device(y), dot = 0, norm = 0;
    const double three = 3;
    OK(cublasDaxpy(handle, 10, &three, dx, 2, dy, 1));
    MUST(cublasDdot(handle, 20, dx, 1, dx, 1, &dot) == CUBLAS_STATUS_SUCCESS && dot == 670);
    OK(cublasDnrm2(handle, 20, dx, 1, &norm));
    MUST(std::fabs(norm - std::sqrt(670.0)) < 1e-12);
    int largest = 0;
    MUST(cublasIdamax(handle, 20, dx, 1, &largest) == CUBLAS_STATUS_SUCCESS && largest == 1);
    const auto gy = taken(dy, 20);
    for (int i = 0; i < 10; ++i) MUST(gy[i] == 1 + 3 * (2 * i - 10));
    MUST(gy[10] == 1);
    std::vector<__half> h(16);
    for (int i = 0; i < 16; ++i) h[i] = __float2half(float(i % 4));
    __half *dh = device(h), *dr = device(h);
    const float one = 1, zero = 0;
    OK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, dh, CUDA_R_16F, 4, dh,
                    CUDA_R_16F, 4, &zero, dr, CUDA_R_16F, 4, CUBLAS_COMPUTE_32F,
                    CUBLAS_GEMM_DEFAULT));
    const auto gh = taken(dr, 16);
    for (int i = 0; i < 4; ++i) MUST(__half2float(gh[i]) == 6 * i);
    cudaFree(da), cudaFree(db), cudaFree(dx), cudaFree(dh);
    OK(cublasDestroy(handle));
    return verdict();
}
