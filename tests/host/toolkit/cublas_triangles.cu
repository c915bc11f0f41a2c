// cuBLAS on triangular, symmetric and complex matrices, batched LU, and copies of matrices, against
// plain loops on the host.
#include <cublas_v2.h>

#include <complex>

#include "check.h"

constexpr int n = 6;
static bool is_near(double a, double b) { return std::fabs(a - b) < 1e-9; }

int main() {
    cublasHandle_t h;
    cublasCreate(&h);
    std::vector<double> a(n * n), b(n * n);
    for (int i = 0; i < n * n; ++i) {
        a[i] = (i * 7) % 11 - 5;
        b[i] = i % 5;
    }
    for (int i = 0; i < n; ++i) a[i * n + i] = 20 + i;
    double *da, *db, *dc;
    cudaMalloc(&da, n * n * sizeof *da);
    cudaMalloc(&db, n * n * sizeof *db);
    cudaMallocManaged(&dc, n * n * sizeof *dc);
    const auto set = [&] {
        OK(cublasSetMatrix(n, n, sizeof(double), a.data(), n, da, n));
        OK(cublasSetVector(n * n, sizeof(double), b.data(), 1, db, 1));
    };
    set();
    const double one = 1, two = 2, zero = 0;
    const auto lower = [&](int i, int j) { return i >= j ? a[i + j * n] : 0.0; };
    const auto symmetric = [&](int i, int j) { return i >= j ? a[i + j * n] : a[j + i * n]; };

    // L X = 2 B; then L X again. From the right: X L' = B.
    std::vector<double> x(n * n);
    cublasDtrsm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n,
                n, &two, da, n, db, n);
    OK(cublasGetMatrix(n, n, sizeof(double), db, n, x.data(), n));
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < n; ++k) sum += lower(i, k) * x[k + j * n];
            MUST(is_near(sum, 2 * b[i + j * n]));
        }
    cublasDtrmm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n,
                n, &one, da, n, db, n, dc, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n * n; ++i) MUST(is_near(dc[i], 2 * b[i]));
    set();
    cublasDtrsm(h, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, n, n,
                &one, da, n, db, n);
    cublasGetMatrix(n, n, sizeof(double), db, n, x.data(), n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < n; ++k) sum += x[i + k * n] * (j == k ? 1 : lower(j, k));
            MUST(is_near(sum, b[i + j * n]));
        }
    set();
    cublasDsymm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, n, n, &one, da, n, db, n, &zero, dc,
                n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < n; ++k) sum += symmetric(i, k) * b[k + j * n];
            MUST(is_near(dc[i + j * n], sum));
        }
    for (int i = 0; i < n * n; ++i) dc[i] = 1000;
    cublasDsyrk(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, n, n, &one, da, n, &zero, dc, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < n; ++k) sum += a[k + i * n] * a[k + j * n];
            MUST(is_near(dc[i + j * n], i <= j ? sum : 1000));
        }
    cublasDtrsv(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, n, da, n, db, 2);
    cublasGetVector(n, sizeof(double), db, 2, x.data(), 1);
    for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int k = 0; k <= i; ++k) sum += a[k + i * n] * x[k];
        MUST(is_near(sum, b[2 * i]));
    }

    // Two matrices at once: LU, inverse and solutions.
    set();
    double *list[2], **pointers, *inverses[2], **to;
    int *pivots, *infos, info = -1;
    cudaMalloc(&list[0], 2 * n * n * sizeof(double));
    cudaMalloc(&inverses[0], 2 * n * n * sizeof(double));
    list[1] = list[0] + n * n;
    inverses[1] = inverses[0] + n * n;
    for (double* each : list) cudaMemcpy(each, da, n * n * sizeof(double), cudaMemcpyDefault);
    cudaMemset(list[1], 0, n * sizeof(double));  // singular
    cudaMalloc(&pointers, sizeof list);
    cudaMalloc(&to, sizeof inverses);
    cudaMalloc(&pivots, 2 * n * sizeof(int));
    cudaMallocManaged(&infos, 2 * sizeof(int));
    cudaMemcpy(pointers, list, sizeof list, cudaMemcpyDefault);
    cudaMemcpy(to, inverses, sizeof inverses, cudaMemcpyDefault);
    cublasDgetrfBatched(h, n, pointers, n, pivots, infos, 2);
    cudaDeviceSynchronize();
    MUST(infos[0] == 0 && infos[1] == 1);
    cublasDgetriBatched(h, n, pointers, n, pivots, to, n, infos, 1);
    cudaMemcpy(x.data(), inverses[0], n * n * sizeof(double), cudaMemcpyDefault);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < n; ++k) sum += a[i + k * n] * x[k + j * n];
            MUST(is_near(sum, i == j));
        }
    cudaMemcpy(inverses[0], db, n * n * sizeof(double), cudaMemcpyDefault);
    cublasDgetrsBatched(h, CUBLAS_OP_T, n, n, pointers, n, pivots, to, n, &info, 1);
    cudaMemcpy(x.data(), inverses[0], n * n * sizeof(double), cudaMemcpyDefault);
    MUST(info == 0);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < n; ++k) sum += a[k + i * n] * x[k + j * n];
            MUST(is_near(sum, b[i + j * n]));
        }

    using number = std::complex<double>;
    cuDoubleComplex *z, alpha = make_cuDoubleComplex(0, 1), none = make_cuDoubleComplex(0, 0), dot;
    cudaMallocManaged(&z, 3 * 9 * sizeof *z);
    for (int i = 0; i < 18; ++i) z[i] = make_cuDoubleComplex(i % 4, i % 3 - 1);
    cublasZgemm(h, CUBLAS_OP_C, CUBLAS_OP_N, 3, 3, 3, &alpha, z, 3, z + 9, 3, &none, z + 18, 3);
    cublasZdotc(h, 9, z, 1, z + 9, 1, &dot);
    cudaDeviceSynchronize();
    const auto at = [&](int i) { return number(z[i].x, z[i].y); };
    number total = 0;
    for (int i = 0; i < 9; ++i) total += std::conj(at(i)) * at(9 + i);
    MUST(is_near(dot.x, total.real()) && is_near(dot.y, total.imag()));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            number sum = 0;
            for (int k = 0; k < 3; ++k) sum += std::conj(at(k + 3 * i)) * at(9 + k + 3 * j);
            sum *= number(0, 1);
            MUST(std::abs(at(18 + i + 3 * j) - sum) < 1e-9);
        }
    cublasDestroy(h);
    return verdict();
}
