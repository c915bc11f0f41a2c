// cuBLASLt: products with every epilogue that is modelled, in all orders, transposes and types, and
// transforms of matrices, against plain loops over random numbers.
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>
#include <random>

#include "check.h"

constexpr unsigned seed = 20252;
static std::mt19937 source(seed);
static cublasLtHandle_t h;

static float wide(float x) { return x; }
static double wide(double x) { return x; }
static float wide(__half x) { return __half2float(x); }
static float wide(__nv_bfloat16 x) { return __bfloat162float(x); }
static float wide(int x) { return static_cast<float>(x); }
static float wide(signed char x) { return x; }
template <class T>
T narrow(double x) {
    return static_cast<T>(x);
}
template <>
__half narrow<__half>(double x) {
    return __float2half(static_cast<float>(x));
}
template <>
__nv_bfloat16 narrow<__nv_bfloat16>(double x) {
    return __float2bfloat16(static_cast<float>(x));
}
template <class T>
constexpr bool is_whole = false;
template <>
constexpr bool is_whole<signed char> = true;
template <>
constexpr bool is_whole<int> = true;
template <class T>
T* random_numbers(std::size_t count) {
    T* p = managed<T>(count);
    for (std::size_t i = 0; i < count; ++i)
        p[i] = narrow<T>(is_whole<T> ? static_cast<int>(source() % 21) - 10
                                     : std::uniform_real_distribution<double>(-1, 1)(source));
    return p;
}

struct layout {
    int rows, columns, apart;
    bool by_rows;
    std::int64_t step;
    int at(int i, int j) const { return by_rows ? i * apart + j : i + j * apart; }
};
constexpr int count = 2;

static cublasLtMatrixLayout_t described(const layout& l, cudaDataType type) {
    cublasLtMatrixLayout_t made = nullptr;
    OK(cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(l.rows),
                                  static_cast<std::uint64_t>(l.columns), l.apart));
    const std::int32_t order = l.by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
    const std::int32_t batch = count;
    OK(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order));
    OK(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
                                        sizeof batch));
    OK(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &l.step,
                                        sizeof l.step));
    return made;
}

static double gelu(double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

template <class A, class C, class Scale>
void product(cublasComputeType_t compute, cudaDataType scale, cudaDataType type_a,
             cudaDataType type_c, cublasOperation_t ta, cublasOperation_t tb, bool by_rows,
             cublasLtEpilogue_t epilogue, double tolerance) {
    constexpr int m = 8, n = 6, k = 20, room = 24;
    const bool turned_a = ta != CUBLAS_OP_N, turned_b = tb != CUBLAS_OP_N;
    const layout la{turned_a ? k : m, turned_a ? m : k, room, by_rows, room * room},
        lb{turned_b ? n : k, turned_b ? k : n, room, false, room * room},
        lc{m, n, room, by_rows, room * room}, ld{m, n, room, by_rows, 2 * room * room};
    A *a = random_numbers<A>(count * room * room), *b = random_numbers<A>(count * room * room);
    C *c = random_numbers<C>(count * room * room), *d = random_numbers<C>(2 * count * room * room),
      *bias = random_numbers<C>(m), *aux = managed<C>(room * room);
    auto* bits = managed<unsigned char>(128 / 8 * n);
    const Scale alpha = narrow<Scale>(2), beta = narrow<Scale>(is_whole<C> ? 3 : 0.5);

    cublasLtMatmulDesc_t operation = nullptr;
    OK(cublasLtMatmulDescCreate(&operation, compute, scale));
    const auto with = [&](cublasLtMatmulDescAttributes_t which, const auto& value) {
        OK(cublasLtMatmulDescSetAttribute(operation, which, &value, sizeof value));
    };
    with(CUBLASLT_MATMUL_DESC_TRANSA, ta);
    with(CUBLASLT_MATMUL_DESC_TRANSB, tb);
    with(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    const bool adds = (epilogue & CUBLASLT_EPILOGUE_BIAS) != 0;
    const bool keeps = (epilogue & 128) != 0, is_gelu = (epilogue & CUBLASLT_EPILOGUE_GELU) != 0;
    if (adds) with(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    if (keeps && is_gelu) {
        with(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aux);
        with(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int64_t{room});
    } else if (keeps) {
        with(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, bits);
        with(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int64_t{128});
    }
    std::size_t written = 0;
    cublasOperation_t told = CUBLAS_OP_C;
    OK(cublasLtMatmulDescGetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &told, sizeof told,
                                      &written));
    MUST(written == 4 && told == ta);
    MUST(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &ta, 8) ==
         CUBLAS_STATUS_INVALID_VALUE);

    const auto da = described(la, type_a), db = described(lb, type_a), dc = described(lc, type_c),
               dd = described(ld, type_c);
    cublasLtMatmulPreference_t preference = nullptr;
    OK(cublasLtMatmulPreferenceCreate(&preference));
    const std::size_t workspace = 1 << 20;
    OK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                            &workspace, sizeof workspace));
    cublasLtMatmulHeuristicResult_t found[3];
    int number = 0;
    OK(cublasLtMatmulAlgoGetHeuristic(h, operation, da, db, dc, dd, preference, 3, found, &number));
    MUST(number == 1 && found[0].state == CUBLAS_STATUS_SUCCESS &&
         found[0].workspaceSize <= workspace);
    OK(cublasLtMatmul(h, operation, &alpha, a, da, b, db, &beta, c, dc, d, dd, &found[0].algo,
                      nullptr, 0, nullptr));
    OK(cudaDeviceSynchronize());
    for (int batch = 0; batch < count; ++batch)
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j) {
                double sum = 0;
                for (int p = 0; p < k; ++p)
                    sum += static_cast<double>(
                               wide(a[batch * la.step + (turned_a ? la.at(p, i) : la.at(i, p))])) *
                           wide(b[batch * lb.step + (turned_b ? lb.at(j, p) : lb.at(p, j))]);
                double value = wide(alpha) * sum + static_cast<double>(wide(beta)) *
                                                       wide(c[batch * lc.step + lc.at(i, j)]);
                if (adds) value += wide(bias[i]);
                if (keeps && batch == count - 1 && is_gelu)
                    MUST(std::fabs(wide(aux[i + j * room]) - value) < tolerance);
                if (keeps && batch == count - 1 && !is_gelu && std::fabs(value) > tolerance)
                    MUST((bits[(i + j * 128) / 8] >> (i % 8) & 1) == (value > 0));
                if ((epilogue & CUBLASLT_EPILOGUE_RELU) != 0 && value < 0) value = 0;
                if (is_gelu) value = gelu(value);
                if (std::is_same_v<C, signed char>)
                    value = std::fmin(127, std::fmax(-128, std::nearbyint(value)));
                MUST(std::fabs(wide(d[batch * ld.step + ld.at(i, j)]) - value) < tolerance);
            }
    // A C that is not there counts only where beta is not 0.
    MUST(cublasLtMatmul(h, operation, &alpha, a, da, b, db, &beta, nullptr, dc, d, dd, nullptr,
                        nullptr, 0, nullptr) == CUBLAS_STATUS_INVALID_VALUE);
    if (keeps) {
        with(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int64_t{is_gelu ? m - 4 : 64});
        MUST(cublasLtMatmul(h, operation, &alpha, a, da, b, db, &beta, c, dc, d, dd, nullptr,
                            nullptr, 0, nullptr) == CUBLAS_STATUS_INVALID_VALUE);
    }
    // The sizes must fit.
    MUST(cublasLtMatmul(h, operation, &alpha, b, db, b, db, &beta, c, dc, d, dd, nullptr, nullptr,
                        0, nullptr) == CUBLAS_STATUS_INVALID_VALUE);
    for (const auto each : {da, db, dc, dd}) OK(cublasLtMatrixLayoutDestroy(each));
    OK(cublasLtMatmulPreferenceDestroy(preference));
    OK(cublasLtMatmulDescDestroy(operation));
    for (void* each :
         {(void*)a, (void*)b, (void*)c, (void*)d, (void*)bias, (void*)aux, (void*)bits})
        cudaFree(each);
}

static void transform() {
    constexpr int m = 5, n = 7;
    float *a = random_numbers<float>(m * n), *c = managed<float>(m * n);
    cublasLtMatrixLayout_t from, to;
    OK(cublasLtMatrixLayoutCreate(&from, CUDA_R_32F, m, n, m));
    OK(cublasLtMatrixLayoutCreate(&to, CUDA_R_32F, n, m, m));
    const std::int32_t order = CUBLASLT_ORDER_ROW;
    cublasLtMatrixLayoutSetAttribute(to, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order);
    cublasLtMatrixTransformDesc_t turned;
    OK(cublasLtMatrixTransformDescCreate(&turned, CUDA_R_32F));
    const cublasOperation_t op = CUBLAS_OP_T;
    OK(cublasLtMatrixTransformDescSetAttribute(turned, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &op,
                                               sizeof op));
    const float two = 2, zero = 0;
    OK(cublasLtMatrixTransform(h, turned, &two, a, from, &zero, nullptr, nullptr, c, to, nullptr));
    cudaDeviceSynchronize();
    for (int i = 0; i < m * n; ++i) MUST(c[i] == 2 * a[i]);
    // Into columns, and with B, which is turned too.
    cublasLtMatrixLayout_t columns;
    OK(cublasLtMatrixLayoutCreate(&columns, CUDA_R_32F, n, m, n + 1));
    OK(cublasLtMatrixTransformDescSetAttribute(turned, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, &op,
                                               sizeof op));
    float *b = random_numbers<float>(m * n), *d = random_numbers<float>((n + 1) * m);
    const std::vector<float> was(d, d + (n + 1) * m);
    const float three = 3;
    OK(cublasLtMatrixTransform(h, turned, &two, a, from, &three, b, from, d, columns, nullptr));
    cudaDeviceSynchronize();
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i < n; ++i)
            MUST(std::fabs(d[i + j * (n + 1)] - (2 * a[j + i * m] + 3 * b[j + i * m])) < 1e-5f);
        MUST(d[n + j * (n + 1)] == was[n + j * (n + 1)]);
    }
    cublasLtMatrixLayoutDestroy(columns);
    cublasLtMatrixTransformDescDestroy(turned);
    cublasLtMatrixLayoutDestroy(from);
    cublasLtMatrixLayoutDestroy(to);
}

int main() {
    std::printf("seed %u\n", seed);
    OK(cublasLtCreate(&h));
    const cublasOperation_t plain = CUBLAS_OP_N, turned = CUBLAS_OP_T;
    for (const bool by_rows : {false, true})
        for (const auto ta : {plain, turned})
            for (const auto tb : {plain, turned})
                product<float, float, float>(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F,
                                             ta, tb, by_rows, CUBLASLT_EPILOGUE_DEFAULT, 1e-4);
    for (const auto epilogue :
         {CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_RELU_BIAS,
          CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS, CUBLASLT_EPILOGUE_RELU_AUX,
          CUBLASLT_EPILOGUE_RELU_AUX_BIAS, CUBLASLT_EPILOGUE_GELU_AUX,
          CUBLASLT_EPILOGUE_GELU_AUX_BIAS})
        product<float, float, float>(CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, CUDA_R_32F,
                                     CUDA_R_32F, plain, plain, false, epilogue, 1e-4);
    product<double, double, double>(CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, turned,
                                    plain, false, CUBLASLT_EPILOGUE_DEFAULT, 1e-12);
    product<__half, __half, float>(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F, turned,
                                   plain, false, CUBLASLT_EPILOGUE_BIAS, 0.02);
    product<__half, __half, __half>(CUBLAS_COMPUTE_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, plain,
                                    plain, true, CUBLASLT_EPILOGUE_RELU, 0.02);
    product<__half, float, float>(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_32F, plain,
                                  turned, false, CUBLASLT_EPILOGUE_GELU, 1e-4);
    product<__nv_bfloat16, __nv_bfloat16, float>(CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF,
                                                 CUDA_R_16BF, plain, plain, false,
                                                 CUBLASLT_EPILOGUE_GELU_BIAS, 0.15);
    product<signed char, int, int>(CUBLAS_COMPUTE_32I, CUDA_R_32I, CUDA_R_8I, CUDA_R_32I, turned,
                                   plain, false, CUBLASLT_EPILOGUE_DEFAULT, 0.5);
    product<signed char, signed char, float>(CUBLAS_COMPUTE_32I, CUDA_R_32F, CUDA_R_8I, CUDA_R_8I,
                                             turned, plain, false, CUBLASLT_EPILOGUE_DEFAULT, 0.5);
    transform();
    OK(cublasLtDestroy(h));
    return verdict();
}
