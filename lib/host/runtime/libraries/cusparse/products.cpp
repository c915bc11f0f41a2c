// cuSPARSE's products of a sparse matrix with a vector and with dense matrices, and of dense
// matrices where a sparse one has entries.
#include "cuset_host/cuda_types.h"

#if __has_include(<cusparse.h>)

#include <algorithm>

#include "handle.h"

#if CUSPARSE_VERSION >= 12500

using namespace cuset_host;
using namespace cuset_host::sparse;

namespace {

whole rows_of(whole rows, whole columns, cusparseOperation_t op) {
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? rows : columns;
}

/// Whether C = op(A) op(B) has the shapes of these matrices.
template <class A, class B, class C>
bool is_product(const C& c, cusparseOperation_t op_a, const A& a, cusparseOperation_t op_b,
                const B& b) {
    return c.rows == rows_of(a.rows, a.columns, op_a) &&
           c.columns == rows_of(b.columns, b.rows, op_b) &&
           rows_of(a.columns, a.rows, op_a) == rows_of(b.rows, b.columns, op_b);
}

/// How many products a call makes of one matrix each, or of batches; 0 if the counts do not fit.
int batches_of(int a, int b, int c) {
    const int most = std::max(a, b);
    return c == most && (a == 1 || a == most) && (b == 1 || b == most) ? most : 0;
}

bool is_format(const cusparseSpMatDescr& m, std::initializer_list<cusparseFormat_t> formats) {
    return std::find(formats.begin(), formats.end(), m.format) != formats.end();
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

cusparseStatus_t check_product(cusparseHandle_t handle, cusparseOperation_t op_a,
                               cusparseOperation_t op_b, const void* alpha,
                               cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                               const void* beta, cusparseConstDnMatDescr_t c,
                               cudaDataType computes) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (alpha == nullptr || a == nullptr || b == nullptr || beta == nullptr || c == nullptr ||
        !is_operation(op_a) || !is_operation(op_b))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!is_product(*c, op_a, *a, op_b, *b) || batches_of(a->batches, b->batches, c->batches) == 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (a->format == CUSPARSE_FORMAT_SLICED_ELLPACK ||
        (a->format == CUSPARSE_FORMAT_BLOCKED_ELL && op_a != CUSPARSE_OPERATION_NON_TRANSPOSE) ||
        !can_multiply(a->type, b->type, c->type, computes))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return CUSPARSE_STATUS_SUCCESS;
}

template <class S>
void multiply_dense(const running_call& call, cusparseOperation_t op_a, cusparseOperation_t op_b,
                    const void* alpha_at, const cusparseSpMatDescr& a_at,
                    const cusparseDnMatDescr& b_at, const void* beta_at,
                    const cusparseDnMatDescr& c_at, cudaDataType computes) {
    const S alpha = read_scalar<S>(call, alpha_at, computes),
            beta = read_scalar<S>(call, beta_at, computes);
    const int batches = batches_of(a_at.batches, b_at.batches, c_at.batches);
    for (int batch = 0; batch < batches; ++batch) {
        const auto a = read_sparse<S>(call, a_at, op_a, batch);
        const auto used = used_of(a.column, a.columns);
        const auto b = read_dense<S>(call, b_at, op_b, batch, &used);
        dense_rows<S> c{c_at.rows, c_at.columns,
                        std::vector<S>(position(c_at.rows * c_at.columns))};
        if (beta != S(0)) c = read_dense<S>(call, c_at, CUSPARSE_OPERATION_NON_TRANSPOSE, batch);
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
        write_dense(call, c_at, c, batch);
    }
}

// --- Dense matrices, where a sparse matrix has entries

cusparseStatus_t check_sampled(cusparseHandle_t handle, cusparseOperation_t op_a,
                               cusparseOperation_t op_b, const void* alpha,
                               cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                               const void* beta, cusparseConstSpMatDescr_t c,
                               cudaDataType computes) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (alpha == nullptr || a == nullptr || b == nullptr || beta == nullptr || c == nullptr ||
        !is_operation(op_a) || !is_operation(op_b))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!is_product(*c, op_a, *a, op_b, *b) || batches_of(a->batches, b->batches, c->batches) == 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!is_format(*c, {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_BSR}) ||
        op_a == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ||
        op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE || a->type != b->type ||
        !can_multiply(a->type, b->type, c->type, computes))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return CUSPARSE_STATUS_SUCCESS;
}

template <class S>
void multiply_sampled(const running_call& call, cusparseOperation_t op_a, cusparseOperation_t op_b,
                      const void* alpha_at, const cusparseDnMatDescr& a_at,
                      const cusparseDnMatDescr& b_at, const void* beta_at,
                      const cusparseSpMatDescr& c_at, cudaDataType computes) {
    const S alpha = read_scalar<S>(call, alpha_at, computes),
            beta = read_scalar<S>(call, beta_at, computes);
    const int batches = batches_of(a_at.batches, b_at.batches, c_at.batches);
    for (int batch = 0; batch < batches; ++batch) {
        const auto c =
            read_sparse<S>(call, c_at, CUSPARSE_OPERATION_NON_TRANSPOSE, batch, beta != S(0));
        // Only rows of A and columns of B that have entries in C are used.
        std::vector<char> rows(position(c.rows));
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = c.offsets[i + 1] > c.offsets[i];
        const auto columns = used_of(c.column, c.columns);
        const auto a = read_dense<S>(call, a_at, op_a, batch, &rows);
        const auto b = read_dense<S>(call, b_at,
                                     op_b == CUSPARSE_OPERATION_NON_TRANSPOSE
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
        write_values(call, c_at.values, c_at.type, values,
                     c_at.batches > 1 ? batch * c_at.value_stride : 0);
    }
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
    const auto status = check_product(handle, op_a, op_b, alpha, a, b, beta, c, computes);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    return run(name, handle, buffer, computes, [&](const auto& call, auto number) {
        multiply_dense<decltype(number)>(call, op_a, op_b, alpha, *a, *b, beta, *c, computes);
    });
}

}  // namespace cuset_host::sparse

extern "C" {

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op,
                                         const void* alpha, cusparseConstSpMatDescr_t a,
                                         cusparseConstDnVecDescr_t x, const void* beta,
                                         cusparseDnVecDescr_t y, cudaDataType computes,
                                         cusparseSpMVAlg_t, size_t* bytes) {
    return give_buffer_size(check_vector_product(handle, op, alpha, a, x, beta, y, computes),
                            bytes);
}
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t op,
                                         const void* alpha, cusparseConstSpMatDescr_t a,
                                         cusparseConstDnVecDescr_t x, const void* beta,
                                         cusparseDnVecDescr_t y, cudaDataType computes,
                                         cusparseSpMVAlg_t, void*) {
    return check_vector_product(handle, op, alpha, a, x, beta, y, computes);
}
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                              const void* beta, cusparseDnVecDescr_t y, cudaDataType computes,
                              cusparseSpMVAlg_t, void* buffer) {
    return multiply_by_vector("cusparseSpMV", handle, op, alpha, a, x, beta, y, computes, buffer);
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a,
                                         cusparseOperation_t op_b, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void* beta, cusparseDnMatDescr_t c,
                                         cudaDataType computes, cusparseSpMMAlg_t, size_t* bytes) {
    return give_buffer_size(check_product(handle, op_a, op_b, alpha, a, b, beta, c, computes),
                            bytes);
}
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t op_a,
                                         cusparseOperation_t op_b, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void* beta, cusparseDnMatDescr_t c,
                                         cudaDataType computes, cusparseSpMMAlg_t, void*) {
    return check_product(handle, op_a, op_b, alpha, a, b, beta, c, computes);
}
cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t op_a,
                              cusparseOperation_t op_b, const void* alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                              const void* beta, cusparseDnMatDescr_t c, cudaDataType computes,
                              cusparseSpMMAlg_t, void* buffer) {
    return multiply_by_dense("cusparseSpMM", handle, op_a, op_b, alpha, a, b, beta, c, computes,
                             buffer);
}

cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a,
                                          cusparseOperation_t op_b, const void* alpha,
                                          cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                                          const void* beta, cusparseSpMatDescr_t c,
                                          cudaDataType computes, cusparseSDDMMAlg_t,
                                          size_t* bytes) {
    return give_buffer_size(check_sampled(handle, op_a, op_b, alpha, a, b, beta, c, computes),
                            bytes);
}
cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t handle, cusparseOperation_t op_a,
                                          cusparseOperation_t op_b, const void* alpha,
                                          cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                                          const void* beta, cusparseSpMatDescr_t c,
                                          cudaDataType computes, cusparseSDDMMAlg_t, void*) {
    return check_sampled(handle, op_a, op_b, alpha, a, b, beta, c, computes);
}
cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t op_a,
                               cusparseOperation_t op_b, const void* alpha,
                               cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                               const void* beta, cusparseSpMatDescr_t c, cudaDataType computes,
                               cusparseSDDMMAlg_t, void* buffer) {
    const auto status = check_sampled(handle, op_a, op_b, alpha, a, b, beta, c, computes);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    return run("cusparseSDDMM", handle, buffer, computes, [&](const auto& call, auto number) {
        multiply_sampled<decltype(number)>(call, op_a, op_b, alpha, *a, *b, beta, *c, computes);
    });
}

}  // extern "C"

#endif
#endif
