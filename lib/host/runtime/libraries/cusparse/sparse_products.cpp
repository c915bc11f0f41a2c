// cuSPARSE's products of two sparse matrices. What the steps of a product find out is kept in its
// descriptor; the buffers that they ask for are not used.
#include <algorithm>

#include "cuset_host/cuda_types.h"
#include "handle.h"

#if CUSPARSE_VERSION >= 12500

using namespace cuset_host;
using namespace cuset_host::sparse;

struct cusparseSpGEMMDescr {
    whole products = 0;
    bool is_estimated = false, is_computed = false;
    // The product without alpha; its values are complex where they are read as such.
    sparse_rows<double> real;
    sparse_rows<complex_number> complex;

    template <class S>
    sparse_rows<S>& product() {
        if constexpr (std::is_same_v<S, double>) {
            return real;
        } else {
            return complex;
        }
    }
};

namespace {

struct factors {
    cusparseOperation_t op_a, op_b;
    cusparseConstSpMatDescr_t a, b;
    cusparseSpMatDescr_t c;
    cudaDataType computes;
};

cusparseStatus_t check(cusparseHandle_t handle, const factors& operands,
                       const cusparseSpGEMMDescr* descriptor) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (operands.a == nullptr || operands.b == nullptr || operands.c == nullptr ||
        descriptor == nullptr || !is_operation(operands.op_a) || !is_operation(operands.op_b))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (operands.op_a != as_it_is || operands.op_b != as_it_is)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (operands.a->columns != operands.b->rows || operands.c->rows != operands.a->rows ||
        operands.c->columns != operands.b->columns)
        return CUSPARSE_STATUS_INVALID_VALUE;
    for (const auto* each :
         {operands.a, operands.b, static_cast<cusparseConstSpMatDescr_t>(operands.c)})
        if (each->format != CUSPARSE_FORMAT_CSR || each->index_type != CUSPARSE_INDEX_32I ||
            each->offset_type != CUSPARSE_INDEX_32I)
            return CUSPARSE_STATUS_NOT_SUPPORTED;
    const bool is_half = operands.a->type == CUDA_R_16F || operands.a->type == CUDA_R_16BF;
    const cudaDataType computes =
        is_half && operands.computes == CUDA_R_32F ? operands.a->type : operands.computes;
    if (operands.a->type != operands.b->type || operands.a->type != operands.c->type ||
        operands.a->type != computes || operands.a->type == CUDA_R_8I ||
        operands.a->type == CUDA_R_32I)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return CUSPARSE_STATUS_SUCCESS;
}

/// A step that asks for a buffer, or has it: gives the size, or says whether the step goes on.
cusparseStatus_t ask(std::size_t* bytes, const void* buffer, bool& goes_on) {
    goes_on = false;
    if (bytes == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    if (buffer == nullptr) {
        *bytes = buffer_bytes;
        return CUSPARSE_STATUS_SUCCESS;
    }
    if (*bytes < buffer_bytes) return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
    goes_on = true;
    return CUSPARSE_STATUS_SUCCESS;
}

/// A B, in the order of columns. With `structure` only, values are left out.
template <class S>
sparse_rows<S> multiply(const running_call& call, const factors& operands, bool structure) {
    const auto a = read_sparse<S>(call, *operands.a, as_it_is, 0, !structure);
    const auto b = read_sparse<S>(call, *operands.b, as_it_is, 0, !structure);
    sparse_rows<S> c;
    c.rows = a.rows;
    c.columns = b.columns;
    c.offsets.assign(1, 0);
    std::vector<S> sum(position(c.columns));
    std::vector<whole> row_of(position(c.columns), -1);  // the row that last had this column
    std::vector<whole> columns;
    for (whole i = 0; i < a.rows; ++i) {
        columns.clear();
        for (whole k = a.offsets[position(i)]; k < a.offsets[position(i + 1)]; ++k) {
            const std::size_t middle = position(a.column[position(k)]);
            for (whole l = b.offsets[middle]; l < b.offsets[middle + 1]; ++l) {
                const whole column = b.column[position(l)];
                const std::size_t j = position(column);
                if (row_of[j] != i) {
                    row_of[j] = i;
                    sum[j] = S(0);
                    columns.push_back(column);
                }
                if (!structure) sum[j] += a.value[position(k)] * b.value[position(l)];
            }
        }
        std::sort(columns.begin(), columns.end());
        for (const whole j : columns) {
            c.column.push_back(j);
            if (!structure) c.value.push_back(sum[position(j)]);
        }
        c.offsets.push_back(static_cast<whole>(c.column.size()));
    }
    return c;
}

/// How many products of entries A B has.
whole count_products(const running_call& call, const factors& operands) {
    const auto a = read_sparse<double>(call, *operands.a, as_it_is, 0, false);
    const auto b = read_sparse<double>(call, *operands.b, as_it_is, 0, false);
    whole count = 0;
    for (const whole j : a.column) count += b.offsets[position(j + 1)] - b.offsets[position(j)];
    return count;
}

template <class S>
void write_structure(const running_call& call, const cusparseSpMatDescr& c,
                     const sparse_rows<S>& product) {
    write_indices(call, c.offsets, c.offset_type, from_base(product.offsets, c.base));
    write_indices(call, c.indices, c.index_type, from_base(product.column, c.base));
}

/// alpha A B + beta C, where C has the entries of A B.
template <class S>
void write_sum(const running_call& call, const cusparseSpMatDescr& c, const void* alpha_at,
               const void* beta_at, cudaDataType computes, std::vector<S> values) {
    const S alpha = read_scalar<S>(call, alpha_at, computes),
            beta = read_scalar<S>(call, beta_at, computes);
    std::vector<S> before;
    if (beta != S(0))
        before = read_values<S>(call, c.values, c.type, static_cast<whole>(values.size()));
    for (std::size_t k = 0; k < values.size(); ++k) {
        values[k] *= alpha;
        if (beta != S(0)) values[k] += beta * before[k];
    }
    write_values(call, c.values, c.type, values);
}

cusparseStatus_t estimate(const char* name, cusparseHandle_t handle, const factors& operands,
                          cusparseSpGEMMDescr* descriptor, const void* buffer) {
    return run(name, handle, buffer, [&](const running_call& call) {
        descriptor->products = count_products(call, operands);
        descriptor->is_estimated = true;
    });
}

}  // namespace

extern "C" {

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t* made) {
    return create<cusparseStatus_t>(made);
}
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descriptor) {
    return destroy_descriptor(descriptor);
}

// What the calls that know alpha and beta are given first.
#define CUSET_HOST_PRODUCT                                                           \
    cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,     \
        const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, \
        const void *beta, cusparseSpMatDescr_t c, cudaDataType computes,             \
        [[maybe_unused]] cusparseSpGEMMAlg_t algorithm, cusparseSpGEMMDescr_t descriptor

cusparseStatus_t cusparseSpGEMM_workEstimation(CUSET_HOST_PRODUCT, size_t* bytes, void* buffer) {
    const factors operands{op_a, op_b, a, b, c, computes};
    if (const auto s = check(handle, operands, descriptor); s != CUSPARSE_STATUS_SUCCESS) return s;
    if (alpha == nullptr || beta == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    bool goes_on;
    if (const auto s = ask(bytes, buffer, goes_on); !goes_on) return s;
    return estimate("cusparseSpGEMM_workEstimation", handle, operands, descriptor, buffer);
}

cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t descriptor, int64_t* count) {
    if (descriptor == nullptr || count == nullptr || !descriptor->is_estimated)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *count = descriptor->products;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpGEMM_estimateMemory(CUSET_HOST_PRODUCT, float chunk, size_t* bytes,
                                               void* buffer, size_t* bytes_of_next) {
    const factors operands{op_a, op_b, a, b, c, computes};
    if (const auto s = check(handle, operands, descriptor); s != CUSPARSE_STATUS_SUCCESS) return s;
    if (alpha == nullptr || beta == nullptr || !descriptor->is_estimated)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (algorithm != CUSPARSE_SPGEMM_ALG2 && algorithm != CUSPARSE_SPGEMM_ALG3)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (algorithm == CUSPARSE_SPGEMM_ALG3 && !(chunk > 0 && chunk <= 1))
        return CUSPARSE_STATUS_INVALID_VALUE;
    bool goes_on;
    if (const auto s = ask(bytes, buffer, goes_on); !goes_on) return s;
    if (bytes_of_next == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *bytes_of_next = buffer_bytes;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpGEMM_compute(CUSET_HOST_PRODUCT, size_t* bytes, void* buffer) {
    const factors operands{op_a, op_b, a, b, c, computes};
    if (const auto s = check(handle, operands, descriptor); s != CUSPARSE_STATUS_SUCCESS) return s;
    if (alpha == nullptr || beta == nullptr || !descriptor->is_estimated)
        return CUSPARSE_STATUS_INVALID_VALUE;
    bool goes_on;
    if (const auto s = ask(bytes, buffer, goes_on); !goes_on) return s;
    return run("cusparseSpGEMM_compute", handle, buffer, a->type,
               [&](const auto& call, auto number) {
                   auto& product = descriptor->product<decltype(number)>();
                   product = multiply<decltype(number)>(call, operands, false);
                   c->nnz = product.count();
                   descriptor->is_computed = true;
               });
}

cusparseStatus_t cusparseSpGEMM_copy(CUSET_HOST_PRODUCT) {
    const factors operands{op_a, op_b, a, b, c, computes};
    if (const auto s = check(handle, operands, descriptor); s != CUSPARSE_STATUS_SUCCESS) return s;
    if (alpha == nullptr || beta == nullptr || !descriptor->is_computed)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return run("cusparseSpGEMM_copy", handle, nullptr, a->type, [&](const auto& call, auto number) {
        using S = decltype(number);
        const auto& product = descriptor->product<S>();
        write_structure(call, *c, product);
        write_sum<S>(call, *c, alpha, beta, computes, product.value);
    });
}

cusparseStatus_t cusparseSpGEMMreuse_workEstimation(
    cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
    cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
    cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t descriptor, size_t* bytes, void* buffer) {
    const factors operands{op_a, op_b, a, b, c, a == nullptr ? CUDA_R_32F : a->type};
    if (const auto s = check(handle, operands, descriptor); s != CUSPARSE_STATUS_SUCCESS) return s;
    bool goes_on;
    if (const auto s = ask(bytes, buffer, goes_on); !goes_on) return s;
    return estimate("cusparseSpGEMMreuse_workEstimation", handle, operands, descriptor, buffer);
}

cusparseStatus_t cusparseSpGEMMreuse_nnz(cusparseHandle_t handle, cusparseOperation_t op_a,
                                         cusparseOperation_t op_b, cusparseConstSpMatDescr_t a,
                                         cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
                                         cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t descriptor,
                                         size_t* bytes2, void* buffer2, size_t* bytes3,
                                         void* buffer3, size_t* bytes4, void* buffer4) {
    const factors operands{op_a, op_b, a, b, c, a == nullptr ? CUDA_R_32F : a->type};
    if (const auto s = check(handle, operands, descriptor); s != CUSPARSE_STATUS_SUCCESS) return s;
    if (!descriptor->is_estimated) return CUSPARSE_STATUS_INVALID_VALUE;
    bool all_go_on = true;
    for (const auto& [bytes, buffer] :
         {std::pair{bytes2, buffer2}, {bytes3, buffer3}, {bytes4, buffer4}}) {
        bool goes_on;
        if (const auto s = ask(bytes, buffer, goes_on); s != CUSPARSE_STATUS_SUCCESS) return s;
        all_go_on &= goes_on;
    }
    if (!all_go_on) return CUSPARSE_STATUS_SUCCESS;
    return run("cusparseSpGEMMreuse_nnz", handle, buffer2, [&](const running_call& call) {
        check_buffer(call, buffer3);
        check_buffer(call, buffer4);
        descriptor->real = multiply<double>(call, operands, true);
        descriptor->is_computed = true;
        c->nnz = descriptor->real.count();
    });
}

cusparseStatus_t cusparseSpGEMMreuse_copy(cusparseHandle_t handle, cusparseOperation_t op_a,
                                          cusparseOperation_t op_b, cusparseConstSpMatDescr_t a,
                                          cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
                                          cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t descriptor,
                                          size_t* bytes, void* buffer) {
    const factors operands{op_a, op_b, a, b, c, a == nullptr ? CUDA_R_32F : a->type};
    if (const auto s = check(handle, operands, descriptor); s != CUSPARSE_STATUS_SUCCESS) return s;
    if (!descriptor->is_computed) return CUSPARSE_STATUS_INVALID_VALUE;
    bool goes_on;
    if (const auto s = ask(bytes, buffer, goes_on); !goes_on) return s;
    return run("cusparseSpGEMMreuse_copy", handle, buffer,
               [&](const running_call& call) { write_structure(call, *c, descriptor->real); });
}

cusparseStatus_t cusparseSpGEMMreuse_compute(CUSET_HOST_PRODUCT) {
    const factors operands{op_a, op_b, a, b, c, computes};
    if (const auto s = check(handle, operands, descriptor); s != CUSPARSE_STATUS_SUCCESS) return s;
    if (alpha == nullptr || beta == nullptr || !descriptor->is_computed)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return run("cusparseSpGEMMreuse_compute", handle, nullptr, a->type,
               [&](const auto& call, auto number) {
                   using S = decltype(number);
                   write_sum<S>(call, *c, alpha, beta, computes,
                                multiply<S>(call, operands, false).value);
               });
}

#undef CUSET_HOST_PRODUCT

}  // extern "C"

#endif
