// cuBLAS in all types: against plain loops over random numbers, with steps that go backward,
// numbers in device memory, results that are not read where a factor is 0, and arguments that are
// refused.
#include <cublas_v2.h>

#include <cstdio>
#include <random>

#include "complex_numbers.h"

constexpr unsigned seed = 20251;
static std::mt19937 source(seed);

static double any() { return std::uniform_real_distribution<double>(-1, 1)(source); }
static void set(double& x) { x = any(); }
static void set(cuDoubleComplex& x) { x = make_cuDoubleComplex(any(), any()); }
template <class T>
T* random_numbers(std::size_t count) {
    T* p = managed<T>(count);
    for (std::size_t i = 0; i < count; ++i) set(p[i]);
    return p;
}
static bool is_near(number a, number b) { return std::abs(a - b) < 1e-10; }
static cublasHandle_t h;

static void backward() {
    constexpr int n = 5;
    double *x = managed<double>(2 * n), *y = managed<double>(n), *a = managed<double>(n * n);
    for (int i = 0; i < 2 * n; ++i) x[i] = i + 1;
    for (int i = 0; i < n; ++i) y[i] = 10 * i;
    for (int i = 0; i < n * n; ++i) a[i] = 0;
    const double one = 1, half = 0.5;
    OK(cublasDger(h, n, n, &one, x, -2, y, 1, a, n));
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) MUST(a[i + j * n] == x[2 * (n - 1 - i)] * y[j]);
    double result = 7;
    cublasDdot(h, n, x, -1, y, 1, &result);
    MUST(result == 10 * (4 + 2 * 3 + 3 * 2 + 4 * 1));
    // Where the step is not positive there is nothing to look at.
    MUST(cublasDnrm2(h, n, x, -1, &result) == CUBLAS_STATUS_SUCCESS && result == 0);
    MUST(cublasDasum(h, n, x, 0, &result) == CUBLAS_STATUS_SUCCESS && result == 0);
    int place = 7;
    MUST(cublasIdamax(h, n, x, -1, &place) == CUBLAS_STATUS_SUCCESS && place == 0);
    place = 7;
    MUST(cublasIdamin(h, 0, x, 1, &place) == CUBLAS_STATUS_SUCCESS && place == 0);
    cublasDscal(h, n, &half, x, -1);
    cudaDeviceSynchronize();
    MUST(x[0] == 1);
    // The first of equals; the squares of large and small numbers.
    y[0] = -3, y[1] = 3, y[2] = 1, y[3] = -1, y[4] = 2;
    cublasIdamax(h, n, y, 1, &place);
    MUST(place == 1);
    cublasIdamin(h, n, y, 1, &place);
    MUST(place == 3);
    y[0] = 3e200, y[1] = 4e200;
    cublasDnrm2(h, 2, y, 1, &result);
    MUST(std::fabs(result / 5e200 - 1) < 1e-15);
    y[0] = 3e-200, y[1] = 4e-200;
    cublasDnrm2(h, 2, y, 1, &result);
    MUST(std::fabs(result / 5e-200 - 1) < 1e-15);
}

__global__ void put(double* numbers, __half* halves) {
    numbers[0] = 2, numbers[1] = 0, numbers[2] = 0.6, numbers[3] = 0.8;
    halves[0] = __float2half(2.0f), halves[1] = __float2half(0.0f);
}

static void device_numbers() {
    double *on_device, *result;
    __half* halves;
    cudaMalloc(&on_device, 4 * sizeof(double));
    cudaMalloc(&halves, 2 * sizeof(__half));
    cudaMalloc(&result, sizeof(double));
    put<<<1, 1>>>(on_device, halves);
    cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);
    double *x = managed<double>(2), *y = managed<double>(2);
    x[0] = 3, x[1] = 4, y[0] = 1, y[1] = -1;
    cublasDrot(h, 2, x, 1, y, 1, on_device + 2, on_device + 3);
    cublasDnrm2(h, 2, x, 1, result);
    __half *a = managed<__half>(4), *c = managed<__half>(4);
    for (int i = 0; i < 4; ++i)
        a[i] = __float2half(static_cast<float>(i)), c[i] = __float2half(NAN);
    cublasHgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, halves, a, 2, a, 2, halves + 1, c, 2);
    OK(cublasGemmEx(h, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, 2, halves, a, CUDA_R_16F, 2, a, CUDA_R_16F,
                    2, halves + 1, c, CUDA_R_16F, 2, CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT));
    cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST);
    cudaDeviceSynchronize();
    MUST(is_near(x[0], 0.6 * 3 + 0.8) && is_near(y[1], -0.6 - 0.8 * 4));
    MUST(__half2float(c[0]) == 2 && __half2float(c[3]) == 2 * (4 + 9));
    double norm = 0;
    cudaMemcpy(&norm, result, sizeof norm, cudaMemcpyDeviceToHost);
    MUST(is_near(norm, std::hypot(x[0], x[1])));
}

static void not_read() {
    constexpr int n = 3;
    double *bad = managed<double>(n * n), *a = random_numbers<double>(n * n),
           *c = managed<double>(n * n);
    for (int i = 0; i < n * n; ++i) bad[i] = NAN, c[i] = 1;
    const double zero = 0, two = 2;
    cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &zero, bad, n, bad, n, &two, c, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n * n; ++i) MUST(c[i] == 2);
    cublasDtrsm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, n, n,
                &zero, a, n, bad, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n * n; ++i) MUST(bad[i] == 0);
    for (int i = 0; i < n * n; ++i) bad[i] = NAN;
    cublasDtrmm(h, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, n, n,
                &zero, bad, n, a, n, c, n);
    cublasDgemv(h, CUBLAS_OP_N, n, n, &two, a, n, a, 1, &zero, bad, 1);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) MUST(c[i] == 0 && !std::isnan(bad[i]));
    MUST(cublasDgeam(h, CUBLAS_OP_T, CUBLAS_OP_N, n, n, &two, a, n, &zero, a, n, a, n) ==
         CUBLAS_STATUS_INVALID_VALUE);
    MUST(cublasDgeam(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, &two, a, n - 1, &zero, a, n, c, n) ==
         CUBLAS_STATUS_INVALID_VALUE);
    MUST(cublasZgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, nullptr, nullptr, n - 1, nullptr, n,
                     nullptr, nullptr, n) == CUBLAS_STATUS_INVALID_VALUE);
    MUST(cublasDdgmm(h, CUBLAS_SIDE_LEFT, n, n, a, n - 1, a, 1, c, n) ==
         CUBLAS_STATUS_INVALID_VALUE);
    MUST(cublasSetStream(nullptr, 0) == CUBLAS_STATUS_NOT_INITIALIZED);
    MUST(cublasGetPointerMode(nullptr, nullptr) == CUBLAS_STATUS_NOT_INITIALIZED);
}

// op(A), of which A is rows x columns with space between its columns.
template <class T>
number element(const T* a, int apart, cublasOperation_t op, int i, int j) {
    if (op == CUBLAS_OP_N) return get(a[i + j * apart]);
    return op == CUBLAS_OP_C ? std::conj(get(a[j + i * apart])) : get(a[j + i * apart]);
}

template <class T, class Gemm, class Gemv, class Trsm>
void products(const Gemm& gemm, const Gemv& gemv, const Trsm& trsm) {
    constexpr int m = 7, n = 5, k = 19, apart = 23;
    T *a = random_numbers<T>(apart * apart), *b = random_numbers<T>(apart * apart),
      *c = random_numbers<T>(apart * n), *y = random_numbers<T>(3 * apart), *scales = managed<T>(2);
    set(scales[0]), set(scales[1]);
    const number alpha = get(scales[0]), beta = get(scales[1]);
    for (const auto ta : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C})
        for (const auto tb : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
            const std::vector<T> before(c, c + apart * n);
            OK(gemm(h, ta, tb, m, n, k, scales, a, apart, b, apart, scales + 1, c, apart));
            cudaDeviceSynchronize();
            for (int i = 0; i < m; ++i)
                for (int j = 0; j < n; ++j) {
                    number sum = 0;
                    for (int p = 0; p < k; ++p)
                        sum += element(a, apart, ta, i, p) * element(b, apart, tb, p, j);
                    MUST(is_near(get(c[i + j * apart]),
                                 alpha * sum + beta * get(before[i + j * apart])));
                }
        }
    for (const auto t : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
        const int rows = t == CUBLAS_OP_N ? m : n, columns = t == CUBLAS_OP_N ? n : m;
        const std::vector<T> before(y, y + 3 * apart);
        OK(gemv(h, t, m, n, scales, a, apart, b, -2, scales + 1, y, 3));
        cudaDeviceSynchronize();
        for (int i = 0; i < rows; ++i) {
            number sum = 0;
            for (int j = 0; j < columns; ++j)
                sum += element(a, apart, t, i, j) * get(b[2 * (columns - 1 - j)]);
            MUST(is_near(get(y[3 * i]), alpha * sum + beta * get(before[3 * i])));
        }
    }
    // X op(A) = alpha B and op(A) X = alpha B, with a diagonal that is far from 0 and not read.
    for (const auto fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
        for (const auto op : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C})
            for (const auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT}) {
                const int order = side == CUBLAS_SIDE_LEFT ? m : n;
                T* x = random_numbers<T>(apart * n);
                const std::vector<T> right(x, x + apart * n);
                OK(trsm(h, side, fill, op, CUBLAS_DIAG_UNIT, m, n, scales, a, apart, x, apart));
                cudaDeviceSynchronize();
                const auto triangle = [&](int i, int j) -> number {
                    if (i == j) return 1;
                    const bool turned = op != CUBLAS_OP_N;
                    const bool is_in = ((fill == CUBLAS_FILL_MODE_LOWER) != turned) == (i > j);
                    return is_in ? element(a, apart, op, i, j) : 0;
                };
                for (int i = 0; i < m; ++i)
                    for (int j = 0; j < n; ++j) {
                        number sum = 0;
                        for (int p = 0; p < order; ++p)
                            sum += side == CUBLAS_SIDE_LEFT
                                       ? triangle(i, p) * get(x[p + j * apart])
                                       : get(x[i + p * apart]) * triangle(p, j);
                        MUST(std::abs(sum - alpha * get(right[i + j * apart])) < 1e-7);
                    }
                cudaFree(x);
            }
}

static void hermitian() {
    constexpr int n = 4, k = 3;
    cuDoubleComplex *a = random_numbers<cuDoubleComplex>(n * n),
                    *b = random_numbers<cuDoubleComplex>(n * n),
                    *c = random_numbers<cuDoubleComplex>(n * n);
    const cuDoubleComplex one = make_cuDoubleComplex(1, 0), none = make_cuDoubleComplex(0, 0);
    OK(cublasZhemm(h, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, n, n, &one, a, n, b, n, &none, c,
                   n));
    cudaDeviceSynchronize();
    const auto whole = [&](int i, int j) -> number {
        return i == j  ? number(a[i + i * n].x)
               : i < j ? get(a[i + j * n])
                       : std::conj(get(a[j + i * n]));
    };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            number sum = 0;
            for (int p = 0; p < n; ++p) sum += get(b[i + p * n]) * whole(p, j);
            MUST(is_near(get(c[i + j * n]), sum));
        }
    const double half = 0.5, zero = 0;
    cublasZherk(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, n, k, &half, a, n, &zero, c, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            number sum = 0;
            for (int p = 0; p < k; ++p) sum += std::conj(get(a[p + i * n])) * get(a[p + j * n]);
            MUST(is_near(get(c[i + j * n]), 0.5 * sum));
        }
    int place = 0;
    a[0] = make_cuDoubleComplex(3, -3), a[1] = make_cuDoubleComplex(0, 5);
    cublasIzamax(h, 2, a, 1, &place);
    MUST(place == 1);  // by the sum of both parts
    double sum = 0;
    cublasDzasum(h, 2, a, 1, &sum);
    MUST(sum == 11);
}

static void small_integers() {
    constexpr int m = 4, n = 4, k = 8;
    signed char *a = managed<signed char>(m * k), *b = managed<signed char>(k * n);
    int *c = managed<int>(m * n), alpha = 2, beta = 1;
    for (int i = 0; i < m * k; ++i) a[i] = static_cast<signed char>(i * 37 % 255 - 127);
    for (int i = 0; i < k * n; ++i) b[i] = static_cast<signed char>(i * 91 % 255 - 127);
    for (int i = 0; i < m * n; ++i) c[i] = i;
    OK(cublasGemmEx(h, CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, &alpha, a, CUDA_R_8I, k, b, CUDA_R_8I, k,
                    &beta, c, CUDA_R_32I, m, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
    cudaDeviceSynchronize();
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            int sum = 0;
            for (int p = 0; p < k; ++p) sum += a[p + i * k] * b[p + j * k];
            MUST(c[i + j * m] == 2 * sum + i + j * m);
        }
}

static void least_squares() {
    constexpr int m = 9, n = 4, count = 3;
    double *a = random_numbers<double>(count * m * n), *b = random_numbers<double>(count * m),
           **as = managed<double*>(count), **bs = managed<double*>(count);
    int *infos = managed<int>(count), info = 7;
    const std::vector<double> was(a, a + count * m * n), right(b, b + count * m);
    for (int i = 0; i < count; ++i) as[i] = a + i * m * n, bs[i] = b + i * m;
    OK(cublasDgelsBatched(h, CUBLAS_OP_N, m, n, 1, as, m, bs, m, &info, infos, count));
    cudaDeviceSynchronize();
    MUST(info == 0);
    for (int each = 0; each < count; ++each) {
        MUST(infos[each] == 0);
        for (int j = 0; j < n; ++j) {  // the residual is orthogonal to A's columns
            double sum = 0;
            for (int i = 0; i < m; ++i) {
                double residual = -right[each * m + i];
                for (int p = 0; p < n; ++p)
                    residual += was[each * m * n + i + p * m] * b[each * m + p];
                sum += was[each * m * n + i + j * m] * residual;
            }
            MUST(is_near(sum, 0));
        }
    }
    constexpr int order = 6;
    double *x = random_numbers<double>(order * order), *inverse = managed<double>(order * order);
    as[0] = x, bs[0] = inverse;
    OK(cublasDmatinvBatched(h, order, as, order, bs, order, infos, 1));
    cudaDeviceSynchronize();
    for (int i = 0; i < order; ++i)
        for (int j = 0; j < order; ++j) {
            double sum = 0;
            for (int p = 0; p < order; ++p) sum += x[i + p * order] * inverse[p + j * order];
            MUST(std::fabs(sum - (i == j)) < 1e-9);
        }
}

int main() {
    std::printf("seed %u\n", seed);
    cublasCreate(&h);
    backward();
    device_numbers();
    not_read();
    products<double>(cublasDgemm, cublasDgemv, cublasDtrsm);
    products<cuDoubleComplex>(cublasZgemm, cublasZgemv, cublasZtrsm);
    hermitian();
    small_integers();
    least_squares();
    cublasDestroy(h);
    return verdict();
}
