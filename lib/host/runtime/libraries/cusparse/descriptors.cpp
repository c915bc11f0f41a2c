// cuSPARSE's descriptors of sparse and dense vectors, and of dense matrices; those of sparse
// matrices are in formats.cpp.
#include "cuset_host/cuda_types.h"

#if __has_include(<cusparse.h>)

#include "handle.h"

#if CUSPARSE_VERSION >= 12500

using namespace cuset_host;
using sparse::whole;

namespace {

template <class T, class V>
void give(T* to, V value) {
    if (to != nullptr) *to = value;
}

cusparseStatus_t make_sparse_vector(cusparseSpVecDescr_t* made, whole size, whole nnz,
                                    const void* indices, const void* values,
                                    cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                    cudaDataType type) {
    if (made == nullptr || size < 0 || nnz < 0 || nnz > size || !sparse::is_base(base))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!sparse::is_index_type(index_type) || !sparse::is_value_type(type))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    *made = new cusparseSpVecDescr{
        size, nnz, const_cast<void*>(indices), const_cast<void*>(values), index_type, base, type};
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t make_vector(cusparseDnVecDescr_t* made, whole size, const void* values,
                             cudaDataType type) {
    if (made == nullptr || size < 0) return CUSPARSE_STATUS_INVALID_VALUE;
    if (!sparse::is_value_type(type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    *made = new cusparseDnVecDescr{size, const_cast<void*>(values), type};
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t make_matrix(cusparseDnMatDescr_t* made, whole rows, whole columns, whole step,
                             const void* values, cudaDataType type, cusparseOrder_t order) {
    if (made == nullptr || rows < 0 || columns < 0 || !sparse::is_order(order) ||
        step < (order == CUSPARSE_ORDER_ROW ? columns : rows))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!sparse::is_value_type(type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    *made = new cusparseDnMatDescr{rows, columns, step, const_cast<void*>(values), type, order};
    return CUSPARSE_STATUS_SUCCESS;
}

template <class Descriptor, class Pointer>
cusparseStatus_t get_values(Descriptor* descriptor, Pointer* values) {
    if (descriptor == nullptr || values == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *values = descriptor->values;
    return CUSPARSE_STATUS_SUCCESS;
}
template <class Descriptor>
cusparseStatus_t set_values(Descriptor* descriptor, void* values) {
    if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    descriptor->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}
template <class Descriptor>
cusparseStatus_t destroy(const Descriptor* descriptor) {
    if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    delete descriptor;
    return CUSPARSE_STATUS_SUCCESS;
}

template <class Pointer>
cusparseStatus_t get(const cusparseSpVecDescr* descriptor, whole* size, whole* nnz,
                     Pointer* indices, Pointer* values, cusparseIndexType_t* index_type,
                     cusparseIndexBase_t* base, cudaDataType* type) {
    if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    give(size, descriptor->size);
    give(nnz, descriptor->nnz);
    give(indices, descriptor->indices);
    give(values, descriptor->values);
    give(index_type, descriptor->index_type);
    give(base, descriptor->base);
    give(type, descriptor->type);
    return CUSPARSE_STATUS_SUCCESS;
}
template <class Pointer>
cusparseStatus_t get(const cusparseDnVecDescr* descriptor, whole* size, Pointer* values,
                     cudaDataType* type) {
    if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    give(size, descriptor->size);
    give(values, descriptor->values);
    give(type, descriptor->type);
    return CUSPARSE_STATUS_SUCCESS;
}
template <class Pointer>
cusparseStatus_t get(const cusparseDnMatDescr* descriptor, whole* rows, whole* columns, whole* step,
                     Pointer* values, cudaDataType* type, cusparseOrder_t* order) {
    if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    give(rows, descriptor->rows);
    give(columns, descriptor->columns);
    give(step, descriptor->step);
    give(values, descriptor->values);
    give(type, descriptor->type);
    give(order, descriptor->order);
    return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t* made, int64_t size, int64_t nnz,
                                     void* indices, void* values, cusparseIndexType_t index_type,
                                     cusparseIndexBase_t base, cudaDataType type) {
    return make_sparse_vector(made, size, nnz, indices, values, index_type, base, type);
}
cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t* made, int64_t size,
                                          int64_t nnz, const void* indices, const void* values,
                                          cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                          cudaDataType type) {
    return make_sparse_vector(const_cast<cusparseSpVecDescr_t*>(made), size, nnz, indices, values,
                              index_type, base, type);
}
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t descriptor) {
    return destroy(descriptor);
}
cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t descriptor, int64_t* size, int64_t* nnz,
                                  void** indices, void** values, cusparseIndexType_t* index_type,
                                  cusparseIndexBase_t* base, cudaDataType* type) {
    return get(descriptor, size, nnz, indices, values, index_type, base, type);
}
cusparseStatus_t cusparseConstSpVecGet(cusparseConstSpVecDescr_t descriptor, int64_t* size,
                                       int64_t* nnz, const void** indices, const void** values,
                                       cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                                       cudaDataType* type) {
    return get(descriptor, size, nnz, indices, values, index_type, base, type);
}
cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t descriptor,
                                           cusparseIndexBase_t* base) {
    if (descriptor == nullptr || base == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *base = descriptor->base;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t descriptor, void** values) {
    return get_values(descriptor, values);
}
cusparseStatus_t cusparseConstSpVecGetValues(cusparseConstSpVecDescr_t descriptor,
                                             const void** values) {
    return get_values(descriptor, values);
}
cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t descriptor, void* values) {
    return set_values(descriptor, values);
}

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* made, int64_t size, void* values,
                                     cudaDataType type) {
    return make_vector(made, size, values, type);
}
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t* made, int64_t size,
                                          const void* values, cudaDataType type) {
    return make_vector(const_cast<cusparseDnVecDescr_t*>(made), size, values, type);
}
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t descriptor) {
    return destroy(descriptor);
}
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t descriptor, int64_t* size, void** values,
                                  cudaDataType* type) {
    return get(descriptor, size, values, type);
}
cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t descriptor, int64_t* size,
                                       const void** values, cudaDataType* type) {
    return get(descriptor, size, values, type);
}
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t descriptor, void** values) {
    return get_values(descriptor, values);
}
cusparseStatus_t cusparseConstDnVecGetValues(cusparseConstDnVecDescr_t descriptor,
                                             const void** values) {
    return get_values(descriptor, values);
}
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t descriptor, void* values) {
    return set_values(descriptor, values);
}

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* made, int64_t rows, int64_t columns,
                                     int64_t step, void* values, cudaDataType type,
                                     cusparseOrder_t order) {
    return make_matrix(made, rows, columns, step, values, type, order);
}
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t* made, int64_t rows,
                                          int64_t columns, int64_t step, const void* values,
                                          cudaDataType type, cusparseOrder_t order) {
    return make_matrix(const_cast<cusparseDnMatDescr_t*>(made), rows, columns, step, values, type,
                       order);
}
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t descriptor) {
    return destroy(descriptor);
}
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t descriptor, int64_t* rows, int64_t* columns,
                                  int64_t* step, void** values, cudaDataType* type,
                                  cusparseOrder_t* order) {
    return get(descriptor, rows, columns, step, values, type, order);
}
cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t descriptor, int64_t* rows,
                                       int64_t* columns, int64_t* step, const void** values,
                                       cudaDataType* type, cusparseOrder_t* order) {
    return get(descriptor, rows, columns, step, values, type, order);
}
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t descriptor, void** values) {
    return get_values(descriptor, values);
}
cusparseStatus_t cusparseConstDnMatGetValues(cusparseConstDnMatDescr_t descriptor,
                                             const void** values) {
    return get_values(descriptor, values);
}
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t descriptor, void* values) {
    return set_values(descriptor, values);
}
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t descriptor, int count,
                                              int64_t stride) {
    if (descriptor == nullptr || count < 1) return CUSPARSE_STATUS_INVALID_VALUE;
    const bool by_rows = descriptor->order == CUSPARSE_ORDER_ROW;
    if (count > 1 && stride != 0 &&
        stride < descriptor->step * (by_rows ? descriptor->rows : descriptor->columns))
        return CUSPARSE_STATUS_INVALID_VALUE;
    descriptor->batches = count;
    descriptor->stride = stride;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t descriptor, int* count,
                                              int64_t* stride) {
    if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    give(count, descriptor->batches);
    give(stride, descriptor->stride);
    return CUSPARSE_STATUS_SUCCESS;
}

}  // extern "C"

#endif
#endif
