// Statuses of cuBLAS's calls for wrong arguments, quick returns, and the calls with lists of sizes.
// Values: tests/oracle/cublas_scipy.py.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <cmath>

#include "check.h"

constexpr int n = 4;
constexpr auto bad = CUBLAS_STATUS_INVALID_VALUE, no_handle = CUBLAS_STATUS_NOT_INITIALIZED;
constexpr auto low = CUBLAS_FILL_MODE_LOWER, full = CUBLAS_FILL_MODE_FULL;
constexpr auto plain = CUBLAS_OP_N, turned = CUBLAS_OP_T;
constexpr auto no_op = static_cast<cublasOperation_t>(7);
constexpr auto unit = CUBLAS_DIAG_UNIT;
constexpr auto no_diagonal = static_cast<cublasDiagType_t>(7);
constexpr auto left = CUBLAS_SIDE_LEFT;
constexpr auto no_side = static_cast<cublasSideMode_t>(7);

int main() {
    cublasHandle_t h;
    OK(cublasCreate(&h));
    float *a, *x, *y;
    cudaMallocManaged(&a, n * n * sizeof *a);
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&y, n * sizeof *y);
    for (int i = 0; i < n * n; ++i) a[i] = 1;
    for (int i = 0; i < n; ++i) x[i] = y[i] = 1;
    const float one = 1, zero = 0;
    const cuComplex unity{1, 0};
    auto* const ca = reinterpret_cast<cuComplex*>(a);

    // Triangles and vectors.
    REFUSED(cublasStrmv(nullptr, low, plain, unit, n, a, n, x, 1), no_handle);
    REFUSED(cublasStrmv(h, full, plain, unit, n, a, n, x, 1), bad);
    REFUSED(cublasStrmv(h, low, no_op, unit, n, a, n, x, 1), bad);
    REFUSED(cublasStrmv(h, low, plain, no_diagonal, n, a, n, x, 1), bad);
    REFUSED(cublasStrmv(h, low, plain, unit, -1, a, n, x, 1), bad);
    REFUSED(cublasStrmv(h, low, plain, unit, n, a, n - 1, x, 1), bad);
    REFUSED(cublasStrmv(h, low, plain, unit, 0, a, 0, x, 1), bad);
    REFUSED(cublasStrmv(h, low, plain, unit, n, a, n, x, 0), bad);
    OK(cublasStrmv(h, low, plain, unit, 0, nullptr, 1, nullptr, 1));
    REFUSED(cublasStpsv(h, low, plain, unit, -1, a, x, 1), bad);
    REFUSED(cublasStpsv(h, low, plain, unit, n, a, x, 0), bad);
    REFUSED(cublasStpsv_64(h, full, plain, unit, n, a, x, 1), bad);
    REFUSED(cublasStbmv(h, low, plain, unit, n, -1, a, n, x, 1), bad);
    REFUSED(cublasStbmv(h, low, plain, unit, n, 2, a, 2, x, 1), bad);
    OK(cublasStbmv(h, low, plain, unit, 0, 2, nullptr, 3, nullptr, 1));

    // Symmetric matrices and vectors.
    REFUSED(cublasSspr(h, low, -1, &one, x, 1, a), bad);
    REFUSED(cublasSspr(h, low, n, &one, x, 0, a), bad);
    REFUSED(cublasSspr(h, full, n, &one, x, 1, a), bad);
    REFUSED(cublasSspr(h, low, n, nullptr, x, 1, a), bad);
    REFUSED(cublasSspr2(h, low, n, &one, x, 1, y, 0, a), bad);
    REFUSED(cublasChpr(h, low, -1, &one, ca, 1, ca), bad);
    REFUSED(cublasSsyr2(h, low, n, &one, x, 1, y, 1, a, n - 1), bad);
    REFUSED(cublasSspmv(h, low, n, &one, a, x, 0, &zero, y, 1), bad);
    REFUSED(cublasSspmv(h, low, n, &one, a, x, 1, nullptr, y, 1), bad);
    REFUSED(cublasSsbmv(h, low, n, -1, &one, a, n, x, 1, &zero, y, 1), bad);
    REFUSED(cublasSsbmv(h, low, n, 3, &one, a, 3, x, 1, &zero, y, 1), bad);
    REFUSED(cublasSsymv(h, full, n, &one, a, n, x, 1, &zero, y, 1), bad);
    OK(cublasSspr(h, low, 0, &one, nullptr, 1, nullptr));

    // General ones.
    REFUSED(cublasSgemv(h, no_op, n, n, &one, a, n, x, 1, &zero, y, 1), bad);
    REFUSED(cublasSgemv(h, plain, n, n, &one, a, n - 1, x, 1, &zero, y, 1), bad);
    REFUSED(cublasSgbmv(h, plain, n, n, 1, 1, &one, a, 2, x, 1, &zero, y, 1), bad);
    REFUSED(cublasSgbmv(h, plain, n, n, -1, 1, &one, a, 4, x, 1, &zero, y, 1), bad);
    REFUSED(cublasSgemvStridedBatched(h, plain, n, n, &one, a, n, 0, x, 1, 0, &zero, y, 1, 0, -1),
            bad);
    REFUSED(cublasSger(h, n, n, &one, x, 0, y, 1, a, n), bad);
    REFUSED(cublasSgeam(h, no_op, plain, n, n, &one, a, n, &zero, a, n, a, n), bad);
    REFUSED(cublasSgeam(h, turned, plain, n, n, &one, a, n, &zero, a, n, a, n), bad);
    REFUSED(cublasSdgmm(h, no_side, n, n, a, n, x, 1, a, n), bad);
    REFUSED(cublasSgemm(h, plain, no_op, n, n, n, &one, a, n, a, n, &zero, a, n), bad);
    REFUSED(cublasStpttr(h, full, n, x, a, n), bad);
    REFUSED(cublasStrttp(h, low, n, a, n - 1, x), bad);

    // Level 3.
    REFUSED(cublasSsyrkx(h, low, plain, n, -1, &one, a, n, a, n, &zero, a, n), bad);
    REFUSED(cublasSsyrkx(h, low, turned, n, n + 1, &one, a, n, a, n + 1, &zero, a, n), bad);
    REFUSED(cublasCherkx(h, full, plain, n, n, &unity, ca, n, ca, n, &one, ca, n), bad);
    REFUSED(cublasCher2k(h, low, plain, n, n, &unity, ca, n, ca, n, nullptr, ca, n), bad);
    REFUSED(cublasCherk(h, low, no_op, n, n, &one, ca, n, &one, ca, n), bad);
    REFUSED(cublasSsymm(h, no_side, low, n, n, &one, a, n, a, n, &zero, a, n), bad);
    REFUSED(cublasStrmm(h, left, low, plain, no_diagonal, n, n, &one, a, n, a, n, a, n), bad);
    REFUSED(cublasStrsm(h, left, low, plain, unit, n, -1, &one, a, n, a, n), bad);

    // Vectors: no elements are no error, and their sum is 0.
    float result = 7;
    OK(cublasSdot(h, -1, x, 1, y, 1, &result));
    MUST(result == 0);
    result = 7;
    OK(cublasNrm2Ex(h, 0, x, CUDA_R_32F, 1, &result, CUDA_R_32F, CUDA_R_32F));
    MUST(result == 0);
    REFUSED(cublasSnrm2(h, n, x, 1, nullptr), bad);
    REFUSED(cublasSdot(nullptr, n, x, 1, y, 1, &result), no_handle);
    REFUSED(cublasSrotg(nullptr, x, y, x, y), no_handle);
    REFUSED(cublasSrotm(h, n, x, 1, y, 1, nullptr), bad);
    OK(cublasSaxpy(h, -3, &one, x, 1, y, 1));
    cudaDeviceSynchronize();
    for (int i = 0; i < n * n; ++i) MUST(a[i] == 1);
    for (int i = 0; i < n; ++i) MUST(x[i] == 1 && y[i] == 1);

    // A modified rotation that changes nothing sets the flag alone.
    float d1 = 2, d2 = 3, x1 = 4, parameters[5] = {7, 7, 7, 7, 7};
    OK(cublasSrotmg(h, &d1, &d2, &x1, &zero, parameters));
    MUST(d1 == 2 && d2 == 3 && x1 == 4 && parameters[0] == -2);
    for (int i = 1; i < 5; ++i) MUST(parameters[i] == 7);

    // k of 0 scales C alone, in one triangle.
    OK(cublasSsyrkx(h, low, plain, n, 0, &one, nullptr, n, nullptr, n, &zero, a, n));
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) MUST(a[i + j * n] == (i >= j ? 0 : 1));

    // The largest and the smallest, of half floats, with places of both widths.
    __half* halves;
    cudaMallocManaged(&halves, n * sizeof *halves);
    const float some[n] = {1, -3, 3, 0.5F};
    for (int i = 0; i < n; ++i) halves[i] = __float2half(some[i]);
    int place = 0;
    int64_t wide_place = 0;
    OK(cublasIamaxEx(h, n, halves, CUDA_R_16F, 1, &place));
    MUST(place == 2);
    OK(cublasIaminEx_64(h, n, halves, CUDA_R_16F, 1, &wide_place));
    MUST(wide_place == 4);

    // Groups: two products of 2 x 1 by 1 x 2, and one of 1 x 2 by 2 x 1 turned.
    float *in, *out, **lists;
    cudaMallocManaged(&in, 6 * sizeof *in);
    cudaMallocManaged(&out, 9 * sizeof *out);
    cudaMallocManaged(&lists, 9 * sizeof *lists);
    for (int i = 0; i < 6; ++i) in[i] = static_cast<float>(i + 1);
    for (int i = 0; i < 9; ++i) out[i] = 10;
    for (int i = 0; i < 3; ++i) lists[i] = lists[3 + i] = in + 2 * i, lists[6 + i] = out + 4 * i;
    const cublasOperation_t ops[2] = {plain, turned}, others[2] = {plain, plain};
    const int m[2] = {2, 1}, k[2] = {1, 2}, lda[2] = {2, 2}, ldb[2] = {1, 2}, sizes[2] = {2, 1};
    const float alpha[2] = {1, 2}, beta[2] = {0, 1};
    OK(cublasSgemmGroupedBatched(h, ops, others, m, m, k, alpha, lists, lda, lists + 3, ldb, beta,
                                 lists + 6, lda, 2, sizes));
    cudaDeviceSynchronize();
    const float wanted[9] = {1, 2, 2, 4, 9, 12, 12, 16, 132};
    for (int i = 0; i < 9; ++i) MUST(out[i] == wanted[i]);
    const int negative[2] = {2, -1};
    REFUSED(cublasSgemmGroupedBatched(h, ops, others, negative, m, k, alpha, lists, lda, lists + 3,
                                      ldb, beta, lists + 6, lda, 2, sizes),
            bad);
    out[8] = 0;
    void** const any = reinterpret_cast<void**>(lists);
    OK(cublasGemmGroupedBatchedEx(h, ops + 1, others, m + 1, m + 1, k + 1, alpha, any + 2,
                                  CUDA_R_32F, lda, any + 5, CUDA_R_32F, ldb + 1, beta, any + 8,
                                  CUDA_R_32F, lda, 1, sizes + 1, CUBLAS_COMPUTE_32F));
    cudaDeviceSynchronize();
    MUST(out[8] == 61);

    int target = 0, version = 0;
    OK(cublasSetSmCountTarget(h, 12));
    OK(cublasGetSmCountTarget(h, &target));
    OK(cublasGetProperty(MAJOR_VERSION, &version));
    MUST(target == 12 && version == CUBLAS_VER_MAJOR);
    OK(cublasDestroy(h));
    return verdict();
}
