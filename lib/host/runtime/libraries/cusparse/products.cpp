// cuSPARSE's products of a sparse matrix with a vector and with dense matrices, and of dense
// matrices where a sparse one has entries.
#include <algorithm>

#include "cuset_host/cuda_types.h"
#include "handle.h"

#if CUSPARSE_VERSION >= 12500

using namespace cuset_host;
using namespace cuset_host::sparse;

namespace {

whole rows_of(whole rows, whole columns, cusparseOperation_t op) {
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? rows : columns;
}

/// C = alpha op(A) op(B) + beta C.
template <class A, class B, class C>
struct product {
    cusparseOperation_t op_a, op_b;
    const void* alpha;
    const A* a;
    const B* b;
    const void* beta;
    C* c;
    cudaDataType computes;

    bool has_shapes() const {
        return c->rows == rows_of(a->rows, a->columns, op_a) &&
               c->columns == rows_of(b->columns, b->rows, op_b) &&
               rows_of(a->columns, a->rows, op_a) == rows_of(b->rows, b->columns, op_b);
    }
    /// How many products of one matrix each, or of batches; 0 if the counts do not fit.
    int batches() const {
        const int most = std::max(a->batches, b->batches);
        const bool fit = c->batches == most && (a->batches == 1 || a->batches == most) &&
                         (b->batches == 1 || b->batches == most);
        return fit ? most : 0;
    }
};
using sparse_product = product<cusparseSpMatDescr, cusparseDnMatDescr, cusparseDnMatDescr>;
/// Of dense matrices, where a sparse one has entries.
using sampled_product = product<cusparseDnMatDescr, cusparseDnMatDescr, cusparseSpMatDescr>;

bool is_supported(const sparse_product& p) {
    const auto format = p.a->format;
    return format != CUSPARSE_FORMAT_SLICED_ELLPACK &&
           (format != CUSPARSE_FORMAT_BLOCKED_ELL || p.op_a == as_it_is) &&
           can_multiply(p.a->type, p.b->type, p.c->type, p.computes);
}
bool is_supported(const sampled_product& p) {
    return (p.c->format == CUSPARSE_FORMAT_CSR || p.c->format == CUSPARSE_FORMAT_BSR) &&
           p.op_a != CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE &&
           p.op_b != CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && p.a->type == p.b->type &&
           can_multiply(p.a->type, p.b->type, p.c->type, p.computes);
}

template <class Product>
cusparseStatus_t check(cusparseHandle_t handle, const Product& p) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (p.alpha == nullptr || p.a == nullptr || p.b == nullptr || p.beta == nullptr ||
        p.c == nullptr || !is_operation(p.op_a) || !is_operation(p.op_b) || !p.has_shapes() ||
        p.batches() == 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return is_supported(p) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}

// --- Sparse matrix times vector

cusparseStatus_t check_vector_product(cusparseHandle_t handle, cusparseOperation_t op,
                                      const void* alpha, cusparseConstSpMatDescr_t a,
                                      cusparseConstDnVecDescr_t x, const void* beta,
                                      cusparseConstDnVecDescr_t y, cudaDataType computes) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (alpha == nullptr || a == nullptr || x == nullptr || beta == nullptr || y == nullptr ||
        !is_operation(op))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (y->size != rows_of(a->rows, a->columns, op) || x->size != rows_of(a->columns, a->rows, op))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (a->format == CUSPARSE_FORMAT_BLOCKED_ELL ||
        !can_multiply(a->type, x->type, y->type, computes))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return CUSPARSE_STATUS_SUCCESS;
}

template <class S>
void multiply_vector(const running_call& call, cusparseOperation_t op, const void* alpha_at,
                     const cusparseSpMatDescr& matrix, const cusparseDnVecDescr& x_at,
                     const void* beta_at, const cusparseDnVecDescr& y_at, cudaDataType computes) {
    const S alpha = read_scalar<S>(call, alpha_at, computes),
            beta = read_scalar<S>(call, beta_at, computes);
    const auto a = read_sparse<S>(call, matrix, op);
    const auto used = used_of(a.column, a.columns);
    const auto x = read_vector<S>(call, x_at, &used);
    std::vector<S> y(position(y_at.size));
    if (beta != S(0)) y = read_vector<S>(call, y_at);
    for (whole i = 0; i < a.rows; ++i) {
        S sum = 0;
        for (whole k = a.offsets[position(i)]; k < a.offsets[position(i + 1)]; ++k)
            sum += a.value[position(k)] * x[position(a.column[position(k)])];
        S& to = y[position(i)];
        to = beta == S(0) ? alpha * sum : alpha * sum + beta * to;
    }
    write_values(call, y_at.values, y_at.type, y);
}

// --- Sparse matrix times dense matrix

template <class S>
void multiply(const running_call& call, const sparse_product& p) {
    const S alpha = read_scalar<S>(call, p.alpha, p.computes),
            beta = read_scalar<S>(call, p.beta, p.computes);
    for (int batch = 0; batch < p.batches(); ++batch) {
        const auto a = read_sparse<S>(call, *p.a, p.op_a, batch);
        const auto used = used_of(a.column, a.columns);
        const auto b = read_dense<S>(call, *p.b, p.op_b, batch, &used);
        dense_rows<S> c{p.c->rows, p.c->columns,
                        std::vector<S>(position(p.c->rows * p.c->columns))};
        if (beta != S(0)) c = read_dense<S>(call, *p.c, CUSPARSE_OPERATION_NON_TRANSPOSE, batch);
        std::vector<S> sum(position(c.columns));
        for (whole i = 0; i < a.rows; ++i) {
            std::fill(sum.begin(), sum.end(), S(0));
            for (whole k = a.offsets[position(i)]; k < a.offsets[position(i + 1)]; ++k) {
                const S factor = a.value[position(k)];
                const S* row = b.value.data() + a.column[position(k)] * b.columns;
                for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += factor * row[j];
            }
            S* to = c.value.data() + i * c.columns;
            for (std::size_t j = 0; j < sum.size(); ++j)
                to[j] = beta == S(0) ? alpha * sum[j] : alpha * sum[j] + beta * to[j];
        }
        write_dense(call, *p.c, c, batch);
    }
}

// --- Dense matrices, where a sparse matrix has entries

template <class S>
void multiply(const running_call& call, const sampled_product& p) {
    const S alpha = read_scalar<S>(call, p.alpha, p.computes),
            beta = read_scalar<S>(call, p.beta, p.computes);
    for (int batch = 0; batch < p.batches(); ++batch) {
        const auto c =
            read_sparse<S>(call, *p.c, CUSPARSE_OPERATION_NON_TRANSPOSE, batch, beta != S(0));
        // Only rows of A and columns of B that have entries in C are used.
        std::vector<char> rows(position(c.rows));
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = c.offsets[i + 1] > c.offsets[i];
        const auto columns = used_of(c.column, c.columns);
        const auto a = read_dense<S>(call, *p.a, p.op_a, batch, &rows);
        const auto b = read_dense<S>(call, *p.b,
                                     p.op_b == CUSPARSE_OPERATION_NON_TRANSPOSE
                                         ? CUSPARSE_OPERATION_TRANSPOSE
                                         : CUSPARSE_OPERATION_NON_TRANSPOSE,
                                     batch, &columns);
        std::vector<S> values(position(c.count()));
        for (whole i = 0; i < c.rows; ++i)
            for (whole k = c.offsets[position(i)]; k < c.offsets[position(i + 1)]; ++k) {
                const whole j = c.column[position(k)];
                S sum = 0;
                for (whole p = 0; p < a.columns; ++p) sum += a.at(i, p) * b.at(j, p);
                values[position(c.place_of(k))] =
                    beta == S(0) ? alpha * sum : alpha * sum + beta * c.value[position(k)];
            }
        write_values(call, p.c->values, p.c->type, values,
                     p.c->batches > 1 ? batch * p.c->value_stride : 0);
    }
}

/// The call `name` that computes such a product.
template <class Product>
cusparseStatus_t compute(const char* name, cusparseHandle_t handle, const Product& p,
                         const void* buffer) {
    const auto status = check(handle, p);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    return run(name, handle, buffer, p.computes,
               [&](const auto& call, auto number) { multiply<decltype(number)>(call, p); });
}

}  // namespace

namespace cuset_host::sparse {

cusparseStatus_t multiply_by_vector(const char* name, cusparseHandle_t handle,
                                    cusparseOperation_t op, const void* alpha,
                                    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                    const void* beta, cusparseDnVecDescr_t y, cudaDataType computes,
                                    const void* buffer) {
    const auto status = check_vector_product(handle, op, alpha, a, x, beta, y, computes);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    return run(name, handle, buffer, computes, [&](const auto& call, auto number) {
        multiply_vector<decltype(number)>(call, op, alpha, *a, *x, beta, *y, computes);
    });
}

cusparseStatus_t multiply_by_dense(const char* name, cusparseHandle_t handle,
                                   cusparseOperation_t op_a, cusparseOperation_t op_b,
                                   const void* alpha, cusparseConstSpMatDescr_t a,
                                   cusparseConstDnMatDescr_t b, const void* beta,
                                   cusparseDnMatDescr_t c, cudaDataType computes,
                                   const void* buffer) {
    const sparse_product p{op_a, op_b, alpha, a, b, beta, c, computes};
    return compute(name, handle, p, buffer);
}

}  // namespace cuset_host::sparse

extern "C" {

#define CUSET_HOST_VECTOR_PRODUCT                                                   \
    cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,             \
        cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta, \
        cusparseDnVecDescr_t y, cudaDataType computes, cusparseSpMVAlg_t
cusparseStatus_t cusparseSpMV_bufferSize(CUSET_HOST_VECTOR_PRODUCT, size_t* bytes) {
    return give_buffer_size(check_vector_product(handle, op, alpha, a, x, beta, y, computes),
                            bytes);
}
cusparseStatus_t cusparseSpMV_preprocess(CUSET_HOST_VECTOR_PRODUCT, void*) {
    return check_vector_product(handle, op, alpha, a, x, beta, y, computes);
}
cusparseStatus_t cusparseSpMV(CUSET_HOST_VECTOR_PRODUCT, void* buffer) {
    return multiply_by_vector("cusparseSpMV", handle, op, alpha, a, x, beta, y, computes, buffer);
}

#undef CUSET_HOST_VECTOR_PRODUCT

#define CUSET_HOST_PRODUCT(Name, Product, A, B, C)                                         \
    cusparseStatus_t cusparse##Name##_bufferSize(                                          \
        cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,       \
        const void* alpha, A a, B b, const void* beta, C c, cudaDataType computes,         \
        cusparse##Name##Alg_t, size_t* bytes) {                                            \
        const Product p{op_a, op_b, alpha, a, b, beta, c, computes};                       \
        return give_buffer_size(check(handle, p), bytes);                                  \
    }                                                                                      \
    cusparseStatus_t cusparse##Name##_preprocess(                                          \
        cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,       \
        const void* alpha, A a, B b, const void* beta, C c, cudaDataType computes,         \
        cusparse##Name##Alg_t, void*) {                                                    \
        return check(handle, Product{op_a, op_b, alpha, a, b, beta, c, computes});         \
    }                                                                                      \
    cusparseStatus_t cusparse##Name(cusparseHandle_t handle, cusparseOperation_t op_a,     \
                                    cusparseOperation_t op_b, const void* alpha, A a, B b, \
                                    const void* beta, C c, cudaDataType computes,          \
                                    cusparse##Name##Alg_t, void* buffer) {                 \
        const Product p{op_a, op_b, alpha, a, b, beta, c, computes};                       \
        return compute("cusparse" #Name, handle, p, buffer);                               \
    }
CUSET_HOST_PRODUCT(SpMM, sparse_product, cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t,
                   cusparseDnMatDescr_t)
CUSET_HOST_PRODUCT(SDDMM, sampled_product, cusparseConstDnMatDescr_t, cusparseConstDnMatDescr_t,
                   cusparseSpMatDescr_t)
#undef CUSET_HOST_PRODUCT

}  // extern "C"

#endif
