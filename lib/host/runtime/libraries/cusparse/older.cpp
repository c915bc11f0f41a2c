// Calls of cuSPARSE's older interface that new toolkits still have: sums of matrices, counts,
// products with blocks and with sparse vectors.
#include "cuset_host/cuda_types.h"
#include "handle.h"

#if CUSPARSE_VERSION >= 12500

using namespace cuset_host;
using namespace cuset_host::sparse;

namespace {

/// A matrix that a call is given in CSR.
struct csr_argument {
    cusparseMatDescr_t descriptor;
    int nnz;
    const void* values;
    const int *offsets, *columns;
};

cusparseStatus_t check(cusparseHandle_t handle, int m, int n,
                       std::initializer_list<cusparseMatDescr_t> descriptors) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0) return CUSPARSE_STATUS_INVALID_VALUE;
    for (const auto* each : descriptors) {
        if (each == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
        if (each->type != CUSPARSE_MATRIX_TYPE_GENERAL)
            return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
    }
    return CUSPARSE_STATUS_SUCCESS;
}

template <class S>
sparse_rows<S> read(const running_call& call, int m, int n, const csr_argument& csr,
                    cudaDataType type, bool with_values) {
    return read_sparse<S>(
        call,
        csr_of(m, n, csr.nnz, csr.offsets, csr.columns, csr.values, type, csr.descriptor->base),
        as_it_is, 0, with_values);
}

/// alpha A + beta B, whose entries are those of both, in the order of columns.
template <class S>
sparse_rows<S> add(const sparse_rows<S>& a, const sparse_rows<S>& b, S alpha, S beta) {
    sparse_rows<S> sum;
    sum.rows = a.rows;
    sum.columns = a.columns;
    sum.offsets.assign(1, 0);
    for (whole i = 0; i < a.rows; ++i) {
        std::size_t k = position(a.offsets[position(i)]), l = position(b.offsets[position(i)]);
        const std::size_t end = position(a.offsets[position(i + 1)]),
                          last = position(b.offsets[position(i + 1)]);
        while (k < end || l < last) {
            const bool takes_a = k < end && (l == last || a.column[k] <= b.column[l]),
                       takes_b = l < last && (k == end || b.column[l] <= a.column[k]);
            S value = 0;
            sum.column.push_back(takes_a ? a.column[k] : b.column[l]);
            if (takes_a && !a.value.empty()) value += alpha * a.value[k];
            if (takes_b && !b.value.empty()) value += beta * b.value[l];
            k += takes_a;
            l += takes_b;
            sum.value.push_back(value);
        }
        sum.offsets.push_back(static_cast<whole>(sum.column.size()));
    }
    return sum;
}

template <class S>
cusparseStatus_t add_matrices(const char* name, cusparseHandle_t handle, int m, int n,
                              const void* alpha_at, const csr_argument& a, const void* beta_at,
                              const csr_argument& b, cusparseMatDescr_t descriptor, void* values,
                              int* offsets, int* columns, cudaDataType type, const void* buffer) {
    const auto status = check(handle, m, n, {a.descriptor, b.descriptor, descriptor});
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    if (alpha_at == nullptr || beta_at == nullptr || a.nnz < 0 || b.nnz < 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return run(name, handle, buffer, [&](const running_call& call) {
        const auto sum =
            add(read<S>(call, m, n, a, type, true), read<S>(call, m, n, b, type, true),
                read_scalar<S>(call, alpha_at, type), read_scalar<S>(call, beta_at, type));
        write_indices(call, offsets, CUSPARSE_INDEX_32I, from_base(sum.offsets, descriptor->base));
        write_indices(call, columns, CUSPARSE_INDEX_32I, from_base(sum.column, descriptor->base));
        write_values(call, values, type, sum.value);
    });
}

/// Counts what is not zero in each row, or column, of a dense matrix in columns.
template <class S>
cusparseStatus_t count(const char* name, cusparseHandle_t handle, cusparseDirection_t direction,
                       int m, int n, cusparseMatDescr_t descriptor, const void* values, int step,
                       int* counts, int* total, cudaDataType type) {
    const auto status = check(handle, m, n, {descriptor});
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    if (step < m || counts == nullptr || total == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    return run(name, handle, nullptr, [&](const running_call& call) {
        const auto dense = read_dense<S>(
            call, {m, n, step, const_cast<void*>(values), type, CUSPARSE_ORDER_COL},
            direction == CUSPARSE_DIRECTION_ROW ? as_it_is : CUSPARSE_OPERATION_TRANSPOSE);
        std::vector<whole> found(position(dense.rows));
        whole sum = 0;
        for (whole i = 0; i < dense.rows; ++i) {
            for (whole j = 0; j < dense.columns; ++j) found[position(i)] += dense.at(i, j) != S(0);
            sum += found[position(i)];
        }
        write_indices(call, counts, CUSPARSE_INDEX_32I, found);
        write_count(call, total, sum);
    });
}

cusparseSpMatDescr blocks_of(cusparseDirection_t direction, int rows, int columns, int nnz,
                             int size, cusparseMatDescr_t descriptor, const void* values,
                             const int* offsets, const int* indices, cudaDataType type) {
    auto m = csr_of(whole{rows} * size, whole{columns} * size, whole{nnz} * size * size, offsets,
                    indices, values, type, descriptor->base);
    m.format = CUSPARSE_FORMAT_BSR;
    m.block_rows = m.block_columns = size;
    m.block_order = direction == CUSPARSE_DIRECTION_ROW ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
    return m;
}

template <class T>
cusparseStatus_t multiply_blocks(const char* name, cusparseHandle_t handle,
                                 cusparseDirection_t direction, cusparseOperation_t op, int rows,
                                 int columns, int nnz, const T* alpha,
                                 cusparseMatDescr_t descriptor, const T* values, const int* offsets,
                                 const int* indices, int size, const T* x, const T* beta, T* y,
                                 cudaDataType type) {
    const auto status = check(handle, rows, columns, {descriptor});
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    if (nnz < 0 || size < 1 || alpha == nullptr || beta == nullptr)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (op != as_it_is) return CUSPARSE_STATUS_NOT_SUPPORTED;
    const auto a =
        blocks_of(direction, rows, columns, nnz, size, descriptor, values, offsets, indices, type);
    const cusparseDnVecDescr from{whole{columns} * size, const_cast<T*>(x), type};
    cusparseDnVecDescr to{whole{rows} * size, y, type};
    return multiply_by_vector(name, handle, op, alpha, &a, &from, beta, &to, type, nullptr);
}

template <class T>
cusparseStatus_t multiply_block_columns(const char* name, cusparseHandle_t handle,
                                        cusparseDirection_t direction, cusparseOperation_t op_a,
                                        cusparseOperation_t op_b, int rows, int n, int columns,
                                        int nnz, const T* alpha, cusparseMatDescr_t descriptor,
                                        const T* values, const int* offsets, const int* indices,
                                        int size, const T* b, int ldb, const T* beta, T* c, int ldc,
                                        cudaDataType type) {
    const auto status = check(handle, rows, columns, {descriptor});
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    const bool turned = op_b != as_it_is;
    const whole inner = whole{columns} * size;
    if (n < 0 || nnz < 0 || size < 1 || alpha == nullptr || beta == nullptr ||
        ldb < (turned ? n : inner) || ldc < whole{rows} * size)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (op_a != as_it_is || op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    const auto a =
        blocks_of(direction, rows, columns, nnz, size, descriptor, values, offsets, indices, type);
    const cusparseDnMatDescr from{
        turned ? n : inner, turned ? inner : n, ldb, const_cast<T*>(b), type, CUSPARSE_ORDER_COL};
    cusparseDnMatDescr to{whole{rows} * size, n, ldc, c, type, CUSPARSE_ORDER_COL};
    return multiply_by_dense(name, handle, op_a, op_b, alpha, &a, &from, beta, &to, type, nullptr);
}

/// y = alpha op(A) x + beta y, with a dense A in columns and a sparse x.
template <class S>
cusparseStatus_t multiply_sparse_vector(const char* name, cusparseHandle_t handle,
                                        cusparseOperation_t op, int m, int n, const void* alpha_at,
                                        const void* a_at, int step, int nnz, const void* values,
                                        const int* indices, const void* beta_at, void* y_at,
                                        cusparseIndexBase_t base, const void* buffer,
                                        cudaDataType type) {
    const auto status = check(handle, m, n, {});
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    if (alpha_at == nullptr || beta_at == nullptr || step < m || nnz < 0 || !is_base(base) ||
        !is_operation(op))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return run(name, handle, buffer, [&](const running_call& call) {
        const S alpha = read_scalar<S>(call, alpha_at, type),
                beta = read_scalar<S>(call, beta_at, type);
        // With --check the columns of A that no element of x meets need no values.
        const cusparseDnMatDescr matrix{
            m, n, step, const_cast<void*>(a_at), type, CUSPARSE_ORDER_COL};
        const bool turned = op != as_it_is;
        const auto places =
            read_places(call, indices, CUSPARSE_INDEX_32I, base, nnz, turned ? m : n, "element");
        const auto used = used_of(places, turned ? m : n);
        // Row j holds column j of op(A), but for the conjugation, which follows below.
        const auto columns =
            read_dense<S>(call, matrix, turned ? as_it_is : CUSPARSE_OPERATION_TRANSPOSE, 0, &used);
        const auto x = read_values<S>(call, values, type, nnz);
        std::vector<S> y(position(columns.columns));
        if (beta != S(0)) y = read_values<S>(call, y_at, type, columns.columns);
        for (S& each : y) each *= beta;
        for (std::size_t k = 0; k < places.size(); ++k)
            for (whole i = 0; i < columns.columns; ++i) {
                const S factor = columns.at(places[k], i);
                y[position(i)] +=
                    alpha * x[k] *
                    (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conjugate(factor) : factor);
            }
        write_values(call, y_at, type, y);
    });
}

}  // namespace

extern "C" {

cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t handle, int m, int n,
                                      const cusparseMatDescr_t descriptor_a, int nnz_a,
                                      const int* offsets_a, const int* columns_a,
                                      const cusparseMatDescr_t descriptor_b, int nnz_b,
                                      const int* offsets_b, const int* columns_b,
                                      const cusparseMatDescr_t descriptor_c, int* offsets_c,
                                      int* total, void* buffer) {
    const auto status = check(handle, m, n, {descriptor_a, descriptor_b, descriptor_c});
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    if (nnz_a < 0 || nnz_b < 0 || total == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    return run("cusparseXcsrgeam2Nnz", handle, buffer, [&](const running_call& call) {
        const auto structure = [&](const csr_argument& csr) {
            return read<double>(call, m, n, csr, CUDA_R_64F, false);
        };
        const auto sum =
            add(structure({descriptor_a, nnz_a, nullptr, offsets_a, columns_a}),
                structure({descriptor_b, nnz_b, nullptr, offsets_b, columns_b}), 1.0, 1.0);
        write_indices(call, offsets_c, CUSPARSE_INDEX_32I,
                      from_base(sum.offsets, descriptor_c->base));
        write_count(call, total, sum.count());
    });
}

#define CUSET_HOST_SPARSE(letter, T, S, type)                                                      \
    cusparseStatus_t cusparse##letter##csrgeam2_bufferSizeExt(                                     \
        cusparseHandle_t handle, int, int, const T*, const cusparseMatDescr_t, int, const T*,      \
        const int*, const int*, const T*, const cusparseMatDescr_t, int, const T*, const int*,     \
        const int*, const cusparseMatDescr_t, const T*, const int*, const int*, size_t* bytes) {   \
        return give_buffer_size(check_call(handle, true), bytes);                                  \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##csrgeam2(                                                   \
        cusparseHandle_t handle, int m, int n, const T* alpha,                                     \
        const cusparseMatDescr_t descriptor_a, int nnz_a, const T* values_a, const int* offsets_a, \
        const int* columns_a, const T* beta, const cusparseMatDescr_t descriptor_b, int nnz_b,     \
        const T* values_b, const int* offsets_b, const int* columns_b,                             \
        const cusparseMatDescr_t descriptor_c, T* values_c, int* offsets_c, int* columns_c,        \
        void* buffer) {                                                                            \
        return add_matrices<S>("cusparse" #letter "csrgeam2", handle, m, n, alpha,                 \
                               {descriptor_a, nnz_a, values_a, offsets_a, columns_a}, beta,        \
                               {descriptor_b, nnz_b, values_b, offsets_b, columns_b},              \
                               descriptor_c, values_c, offsets_c, columns_c, type, buffer);        \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##nnz(cusparseHandle_t handle, cusparseDirection_t direction, \
                                           int m, int n, const cusparseMatDescr_t descriptor,      \
                                           const T* values, int step, int* counts, int* total) {   \
        return count<S>("cusparse" #letter "nnz", handle, direction, m, n, descriptor, values,     \
                        step, counts, total, type);                                                \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##bsrmv(                                                      \
        cusparseHandle_t handle, cusparseDirection_t direction, cusparseOperation_t op, int rows,  \
        int columns, int nnz, const T* alpha, const cusparseMatDescr_t descriptor,                 \
        const T* values, const int* offsets, const int* indices, int size, const T* x,             \
        const T* beta, T* y) {                                                                     \
        return multiply_blocks("cusparse" #letter "bsrmv", handle, direction, op, rows, columns,   \
                               nnz, alpha, descriptor, values, offsets, indices, size, x, beta, y, \
                               type);                                                              \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##bsrmm(                                                      \
        cusparseHandle_t handle, cusparseDirection_t direction, cusparseOperation_t op_a,          \
        cusparseOperation_t op_b, int rows, int n, int columns, int nnz, const T* alpha,           \
        const cusparseMatDescr_t descriptor, const T* values, const int* offsets,                  \
        const int* indices, const int size, const T* b, const int ldb, const T* beta, T* c,        \
        int ldc) {                                                                                 \
        return multiply_block_columns("cusparse" #letter "bsrmm", handle, direction, op_a, op_b,   \
                                      rows, n, columns, nnz, alpha, descriptor, values, offsets,   \
                                      indices, size, b, ldb, beta, c, ldc, type);                  \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##gemvi_bufferSize(                                           \
        cusparseHandle_t handle, cusparseOperation_t, int, int, int, int* bytes) {                 \
        return give_buffer_size(check_call(handle, true), bytes);                                  \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##gemvi(                                                      \
        cusparseHandle_t handle, cusparseOperation_t op, int m, int n, const T* alpha, const T* a, \
        int step, int nnz, const T* values, const int* indices, const T* beta, T* y,               \
        cusparseIndexBase_t base, void* buffer) {                                                  \
        return multiply_sparse_vector<S>("cusparse" #letter "gemvi", handle, op, m, n, alpha, a,   \
                                         step, nnz, values, indices, beta, y, base, buffer, type); \
    }
CUSET_HOST_SPARSE(S, float, double, CUDA_R_32F)
CUSET_HOST_SPARSE(D, double, double, CUDA_R_64F)
CUSET_HOST_SPARSE(C, cuComplex, complex_number, CUDA_C_32F)
CUSET_HOST_SPARSE(Z, cuDoubleComplex, complex_number, CUDA_C_64F)
#undef CUSET_HOST_SPARSE

}  // extern "C"

#endif
