// cuBLASLt's products of matrices with what follows them, and its transforms of matrices.
#include <cmath>

#include "cublaslt_descriptors.h"
#include "cuset_host/cuda_types.h"

using namespace cuset_host;

namespace {

/// What is done to each result: a bias for its row, a function, and a copy of what goes into it.
struct epilogue {
    bool adds_bias, is_relu, is_gelu, keeps_input;
};

epilogue epilogue_of(std::uint32_t code) {
    switch (code) {
        case CUBLASLT_EPILOGUE_DEFAULT: return {false, false, false, false};
        case CUBLASLT_EPILOGUE_BIAS: return {true, false, false, false};
        case CUBLASLT_EPILOGUE_RELU: return {false, true, false, false};
        case CUBLASLT_EPILOGUE_RELU_BIAS: return {true, true, false, false};
        case CUBLASLT_EPILOGUE_RELU_AUX: return {false, true, false, true};
        case CUBLASLT_EPILOGUE_RELU_AUX_BIAS: return {true, true, false, true};
        case CUBLASLT_EPILOGUE_GELU: return {false, false, true, false};
        case CUBLASLT_EPILOGUE_GELU_BIAS: return {true, false, true, false};
        case CUBLASLT_EPILOGUE_GELU_AUX: return {false, false, true, true};
        case CUBLASLT_EPILOGUE_GELU_AUX_BIAS: return {true, false, true, true};
        default: fail("unsupported", "cublasLtMatmul's epilogue " + std::to_string(code));
    }
}

/// The approximation by tanh, as cuBLASLt has it.
double gelu(double x) {
    constexpr double root = 0.7978845608028654;  // of 2 / pi
    return 0.5 * x * (1 + std::tanh(root * (x + 0.044715 * x * x * x)));
}

template <class T>
T number_at(const void* p, std::ptrdiff_t i, std::int32_t type) {
    switch (type) {
        case CUDA_R_32F: return static_cast<T>(static_cast<const float*>(p)[i]);
        case CUDA_R_64F: return static_cast<T>(static_cast<const double*>(p)[i]);
        case CUDA_R_16F: return static_cast<T>(widened(static_cast<const __half*>(p)[i]));
        case CUDA_R_16BF: return static_cast<T>(widened(static_cast<const __nv_bfloat16*>(p)[i]));
        case CUDA_R_32I: return static_cast<T>(static_cast<const int*>(p)[i]);
        case CUDA_R_8I: return static_cast<T>(static_cast<const signed char*>(p)[i]);
        default: fail("unsupported", "cublasLt's numbers of type " + std::to_string(type));
    }
}
template <class T>
void put_number(void* p, std::ptrdiff_t i, std::int32_t type, T value) {
    switch (type) {
        case CUDA_R_32F: static_cast<float*>(p)[i] = static_cast<float>(value); break;
        case CUDA_R_64F: static_cast<double*>(p)[i] = static_cast<double>(value); break;
        case CUDA_R_16F: static_cast<__half*>(p)[i] = narrowed<__half>(value); break;
        case CUDA_R_16BF: static_cast<__nv_bfloat16*>(p)[i] = narrowed<__nv_bfloat16>(value); break;
        case CUDA_R_32I: static_cast<int*>(p)[i] = static_cast<int>(value); break;
        case CUDA_R_8I: static_cast<signed char*>(p)[i] = narrowed<signed char>(value); break;
        default: fail("unsupported", "cublasLt's numbers of type " + std::to_string(type));
    }
}

/// Alpha and beta: single numbers of the host or the device, or one for each row.
template <class Scale>
struct scales {
    const Scale* alpha;
    const Scale* beta;  ///< null: 0
    bool alpha_by_rows, beta_by_rows;
    Scale alpha_of(std::ptrdiff_t row) const { return alpha[alpha_by_rows ? row : 0]; }
    Scale beta_of(std::ptrdiff_t row) const {
        return beta == nullptr ? narrowed<Scale>(0.0f) : beta[beta_by_rows ? row : 0];
    }
};
template <class Scale>
scales<Scale> scales_of(std::int32_t mode, const void* alpha, const void* beta) {
    const bool by_rows = mode == CUBLASLT_POINTER_MODE_DEVICE_VECTOR;
    const bool no_beta = mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO;
    const bool host_beta = mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST;
    return {static_cast<const Scale*>(alpha), no_beta ? nullptr : static_cast<const Scale*>(beta),
            by_rows || no_beta || host_beta, by_rows};
}

struct operands {
    const lt_product& p;
    const lt_layout &a, &b, &c, &d;
    const void *alpha, *beta, *data_a, *data_b, *data_c;
    void* data_d;
};

template <class Types>
cublasStatus_t product(const operands& o) {
    using A = typename Types::A;
    using C = typename Types::C;
    using S = typename Types::S;
    using Scale = typename Types::Scale;
    const epilogue after = epilogue_of(o.p.epilogue);
    const lt_places at_a(o.a, "cublasLtMatmul"), at_b(o.b, "cublasLtMatmul"),
        at_c(o.c, "cublasLtMatmul"), at_d(o.d, "cublasLtMatmul");
    const bool turned_a = o.p.turns_a != CUBLAS_OP_N, turned_b = o.p.turns_b != CUBLAS_OP_N;
    const bool conj_a = o.p.turns_a == CUBLAS_OP_C, conj_b = o.p.turns_b == CUBLAS_OP_C;
    const auto k = static_cast<std::ptrdiff_t>(turned_a ? o.a.rows : o.a.columns);
    const auto m = static_cast<std::ptrdiff_t>(o.d.rows);
    const auto n = static_cast<std::ptrdiff_t>(o.d.columns);
    const scales<Scale> factors = scales_of<Scale>(o.p.pointers, o.alpha, o.beta);
    if (o.data_c == nullptr && factors.beta != nullptr &&
        (factors.beta_by_rows || widened(factors.beta_of(0)) != decltype(widened(Scale()))(0)))
        return CUBLAS_STATUS_INVALID_VALUE;
    const std::int32_t type_d = static_cast<std::int32_t>(o.d.type);
    // Products of 8-bit integers have a bias of the type of alpha.
    const std::int32_t bias_type = o.p.bias_type != -1   ? o.p.bias_type
                                   : type_d == CUDA_R_8I ? o.p.scale
                                                         : type_d;
    const std::int32_t aux_type = o.p.aux_type != -1 ? o.p.aux_type : type_d;
    for (std::ptrdiff_t batch = 0; batch < o.d.count; ++batch) {
        const auto* const a = static_cast<const A*>(o.data_a) + batch * o.a.step;
        const auto* const b = static_cast<const A*>(o.data_b) + batch * o.b.step;
        const auto* const c = static_cast<const C*>(o.data_c) + batch * o.c.step;
        auto* const d = static_cast<C*>(o.data_d) + batch * o.d.step;
        multiply<S>(
            m, n, k,
            [&](std::ptrdiff_t i, std::ptrdiff_t p) {
                const auto own = widened(a[turned_a ? at_a(p, i) : at_a(i, p)]);
                return conj_a ? conjugate(own) : own;
            },
            [&](std::ptrdiff_t p, std::ptrdiff_t j) {
                const auto own = widened(b[turned_b ? at_b(j, p) : at_b(p, j)]);
                return conj_b ? conjugate(own) : own;
            },
            [&](std::ptrdiff_t i, std::ptrdiff_t j, S sum) {
                auto value =
                    scaled(factors.alpha_of(i + batch * o.p.alpha_step), sum, factors.beta_of(i),
                           o.data_c == nullptr ? nullptr : &c[at_c(i, j)]);
                if constexpr (!is_complex<decltype(value)>) {
                    using V = decltype(value);
                    if (after.adds_bias)
                        value += number_at<V>(o.p.bias, batch * o.p.bias_step + i, bias_type);
                    const std::ptrdiff_t aux = batch * o.p.aux_step + j * o.p.aux_apart + i;
                    if (after.keeps_input && after.is_gelu)
                        put_number(o.p.aux, aux, aux_type, value);
                    if (after.keeps_input && after.is_relu) {
                        auto& bits = static_cast<unsigned char*>(o.p.aux)[aux / 8];
                        const auto bit = static_cast<unsigned char>(1U << (aux % 8));
                        bits = static_cast<unsigned char>(value > V(0) ? bits | bit : bits & ~bit);
                    }
                    if (after.is_relu && value < V(0)) value = 0;
                    if (after.is_gelu) value = static_cast<V>(gelu(static_cast<double>(value)));
                }
                d[at_d(i, j)] = narrowed<C>(value);
            });
    }
    return CUBLAS_STATUS_SUCCESS;
}

bool is_mismatched(const lt_product& p, const lt_layout& a, const lt_layout& b, const lt_layout& c,
                   const lt_layout& d) {
    const bool turned_a = p.turns_a != CUBLAS_OP_N, turned_b = p.turns_b != CUBLAS_OP_N;
    const auto m = turned_a ? a.columns : a.rows, k = turned_a ? a.rows : a.columns;
    const auto other = turned_b ? b.columns : b.rows, n = turned_b ? b.rows : b.columns;
    return is_bad(a) || is_bad(b) || is_bad(c) || is_bad(d) || k != other || d.rows != m ||
           d.columns != n || c.rows != m || c.columns != n || a.count != d.count ||
           b.count != d.count || c.count != d.count || c.type != d.type;
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtMatmul(cublasLtHandle_t h, cublasLtMatmulDesc_t operation, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t layout_a, const void* b,
                              cublasLtMatrixLayout_t layout_b, const void* beta, const void* c,
                              cublasLtMatrixLayout_t layout_c, void* d,
                              cublasLtMatrixLayout_t layout_d, const cublasLtMatmulAlgo_t*, void*,
                              size_t, cudaStream_t stream) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (operation == nullptr || layout_a == nullptr || layout_b == nullptr || layout_c == nullptr ||
        layout_d == nullptr || alpha == nullptr || a == nullptr || b == nullptr || d == nullptr)
        return CUBLAS_STATUS_INVALID_VALUE;
    const operands o{opened<lt_product>(operation),
                     opened<lt_layout>(layout_a),
                     opened<lt_layout>(layout_b),
                     opened<lt_layout>(layout_c),
                     opened<lt_layout>(layout_d),
                     alpha,
                     beta,
                     a,
                     b,
                     c,
                     d};
    if (is_mismatched(o.p, o.a, o.b, o.c, o.d)) return CUBLAS_STATUS_INVALID_VALUE;
    if (o.p.turns_c != CUBLAS_OP_N) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (o.p.fill != CUBLAS_FILL_MODE_FULL) fail("unsupported", "cublasLtMatmul with a fill mode");
    const epilogue after = epilogue_of(o.p.epilogue);
    if (after.adds_bias && o.p.bias == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    const std::int64_t aux_unit = after.is_relu ? 128 : 8;  // bits, or numbers
    if (after.keeps_input &&
        (o.p.aux == nullptr || o.p.aux_apart < static_cast<std::int64_t>(o.d.rows) ||
         o.p.aux_apart % aux_unit != 0))
        return CUBLAS_STATUS_INVALID_VALUE;
    const library_kernel running(stream);
    return with_product_types(
        "cublasLtMatmul", static_cast<cublasComputeType_t>(o.p.compute),
        static_cast<cudaDataType>(o.p.scale), static_cast<cudaDataType>(o.a.type),
        static_cast<cudaDataType>(o.b.type), static_cast<cudaDataType>(o.d.type),
        [&](auto types) { return product<decltype(types)>(o); });
}

cublasStatus_t cublasLtMatrixTransform(cublasLtHandle_t h, cublasLtMatrixTransformDesc_t operation,
                                       const void* alpha, const void* a,
                                       cublasLtMatrixLayout_t layout_a, const void* beta,
                                       const void* b, cublasLtMatrixLayout_t layout_b, void* c,
                                       cublasLtMatrixLayout_t layout_c, cudaStream_t stream) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (operation == nullptr || layout_a == nullptr || layout_c == nullptr || alpha == nullptr ||
        a == nullptr || c == nullptr)
        return CUBLAS_STATUS_INVALID_VALUE;
    const lt_transform& t = opened<lt_transform>(operation);
    const lt_layout &of_a = opened<lt_layout>(layout_a), &of_c = opened<lt_layout>(layout_c);
    const bool adds = b != nullptr && layout_b != nullptr && beta != nullptr;
    const lt_layout& of_b = adds ? opened<lt_layout>(layout_b) : of_a;
    const bool turned_a = t.turns_a != CUBLAS_OP_N, turned_b = t.turns_b != CUBLAS_OP_N;
    const auto fits = [&](const lt_layout& from, bool turned) {
        return !is_bad(from) && from.rows == (turned ? of_c.columns : of_c.rows) &&
               from.columns == (turned ? of_c.rows : of_c.columns) && from.count == of_c.count;
    };
    if (is_bad(of_c) || !fits(of_a, turned_a) || (adds && !fits(of_b, turned_b)))
        return CUBLAS_STATUS_INVALID_VALUE;
    const lt_places at_a(of_a, "cublasLtMatrixTransform"), at_b(of_b, "cublasLtMatrixTransform"),
        at_c(of_c, "cublasLtMatrixTransform");
    const library_kernel running(stream);
    const auto type = [](const lt_layout& l) { return static_cast<std::int32_t>(l.type); };
    const double factor = number_at<double>(alpha, 0, t.scale);
    const double other = adds ? number_at<double>(beta, 0, t.scale) : 0;
    for (std::ptrdiff_t batch = 0; batch < of_c.count; ++batch)
        for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(of_c.rows); ++i)
            for (std::ptrdiff_t j = 0; j < static_cast<std::ptrdiff_t>(of_c.columns); ++j) {
                const auto place_a = turned_a ? at_a(j, i) : at_a(i, j);
                double sum = factor * number_at<double>(a, batch * of_a.step + place_a, type(of_a));
                if (other != 0)
                    sum += other * number_at<double>(
                                       b, batch * of_b.step + (turned_b ? at_b(j, i) : at_b(i, j)),
                                       type(of_b));
                put_number(c, batch * of_c.step + at_c(i, j), type(of_c), sum);
            }
    return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
