// cuSPARSE's descriptors of sparse and dense vectors and of dense matrices, and the values of all.
// What else descriptors of sparse matrices have is in formats.cpp.
#include "cuset_host/cuda_types.h"
#include "handle.h"

#if CUSPARSE_VERSION >= 12500

using namespace cuset_host;
using namespace cuset_host::sparse;

namespace {

cusparseStatus_t make_sparse_vector(cusparseSpVecDescr_t* made, whole size, whole nnz,
                                    const void* indices, const void* values,
                                    cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                    cudaDataType type) {
    if (made == nullptr || size < 0 || nnz < 0 || nnz > size || !is_base(base))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!is_index_type(index_type) || !is_value_type(type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    *made = new cusparseSpVecDescr{
        size, nnz, const_cast<void*>(indices), const_cast<void*>(values), index_type, base, type};
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t make_vector(cusparseDnVecDescr_t* made, whole size, const void* values,
                             cudaDataType type) {
    if (made == nullptr || size < 0) return CUSPARSE_STATUS_INVALID_VALUE;
    if (!is_value_type(type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    *made = new cusparseDnVecDescr{size, const_cast<void*>(values), type};
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t make_matrix(cusparseDnMatDescr_t* made, whole rows, whole columns, whole step,
                             const void* values, cudaDataType type, cusparseOrder_t order) {
    if (made == nullptr || rows < 0 || columns < 0 || !is_order(order) ||
        step < (order == CUSPARSE_ORDER_ROW ? columns : rows))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!is_value_type(type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    *made = new cusparseDnMatDescr{rows, columns, step, const_cast<void*>(values), type, order};
    return CUSPARSE_STATUS_SUCCESS;
}

template <class Pointer>
cusparseStatus_t get(const cusparseSpVecDescr* descriptor, whole* size, whole* nnz,
                     Pointer* indices, Pointer* values, cusparseIndexType_t* index_type,
                     cusparseIndexBase_t* base, cudaDataType* type) {
    if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    give_if_wanted(size, descriptor->size);
    give_if_wanted(nnz, descriptor->nnz);
    give_if_wanted(indices, descriptor->indices);
    give_if_wanted(values, descriptor->values);
    give_if_wanted(index_type, descriptor->index_type);
    give_if_wanted(base, descriptor->base);
    give_if_wanted(type, descriptor->type);
    return CUSPARSE_STATUS_SUCCESS;
}
template <class Pointer>
cusparseStatus_t get(const cusparseDnVecDescr* descriptor, whole* size, Pointer* values,
                     cudaDataType* type) {
    if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    give_if_wanted(size, descriptor->size);
    give_if_wanted(values, descriptor->values);
    give_if_wanted(type, descriptor->type);
    return CUSPARSE_STATUS_SUCCESS;
}
template <class Pointer>
cusparseStatus_t get(const cusparseDnMatDescr* descriptor, whole* rows, whole* columns, whole* step,
                     Pointer* values, cudaDataType* type, cusparseOrder_t* order) {
    if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    give_if_wanted(rows, descriptor->rows);
    give_if_wanted(columns, descriptor->columns);
    give_if_wanted(step, descriptor->step);
    give_if_wanted(values, descriptor->values);
    give_if_wanted(type, descriptor->type);
    give_if_wanted(order, descriptor->order);
    return CUSPARSE_STATUS_SUCCESS;
}

/// Whether a descriptor's values may be null. Those of a sparse matrix may if it has no entries.
bool may_lack_values(const void*) { return true; }
bool may_lack_values(const cusparseSpMatDescr* descriptor) {
    return descriptor == nullptr || descriptor->nnz <= 0;
}

}  // namespace

extern "C" {

// Descriptors with Const in their names lead to what no call may change.
#define CUSET_HOST_DESCRIPTORS(Const, Pointer)                                                    \
    cusparseStatus_t cusparseCreate##Const##SpVec(cusparse##Const##SpVecDescr_t* made,            \
                                                  int64_t size, int64_t nnz, Pointer indices,     \
                                                  Pointer values, cusparseIndexType_t index_type, \
                                                  cusparseIndexBase_t base, cudaDataType type) {  \
        return make_sparse_vector(const_cast<cusparseSpVecDescr_t*>(made), size, nnz, indices,    \
                                  values, index_type, base, type);                                \
    }                                                                                             \
    cusparseStatus_t cusparse##Const##SpVecGet(cusparse##Const##SpVecDescr_t descriptor,          \
                                               int64_t* size, int64_t* nnz, Pointer* indices,     \
                                               Pointer* values, cusparseIndexType_t* index_type,  \
                                               cusparseIndexBase_t* base, cudaDataType* type) {   \
        return get(descriptor, size, nnz, indices, values, index_type, base, type);               \
    }                                                                                             \
    cusparseStatus_t cusparseCreate##Const##DnVec(                                                \
        cusparse##Const##DnVecDescr_t* made, int64_t size, Pointer values, cudaDataType type) {   \
        return make_vector(const_cast<cusparseDnVecDescr_t*>(made), size, values, type);          \
    }                                                                                             \
    cusparseStatus_t cusparse##Const##DnVecGet(cusparse##Const##DnVecDescr_t descriptor,          \
                                               int64_t* size, Pointer* values,                    \
                                               cudaDataType* type) {                              \
        return get(descriptor, size, values, type);                                               \
    }                                                                                             \
    cusparseStatus_t cusparseCreate##Const##DnMat(                                                \
        cusparse##Const##DnMatDescr_t* made, int64_t rows, int64_t columns, int64_t step,         \
        Pointer values, cudaDataType type, cusparseOrder_t order) {                               \
        return make_matrix(const_cast<cusparseDnMatDescr_t*>(made), rows, columns, step, values,  \
                           type, order);                                                          \
    }                                                                                             \
    cusparseStatus_t cusparse##Const##DnMatGet(                                                   \
        cusparse##Const##DnMatDescr_t descriptor, int64_t* rows, int64_t* columns, int64_t* step, \
        Pointer* values, cudaDataType* type, cusparseOrder_t* order) {                            \
        return get(descriptor, rows, columns, step, values, type, order);                         \
    }
CUSET_HOST_DESCRIPTORS(, void*)
CUSET_HOST_DESCRIPTORS(Const, const void*)
#undef CUSET_HOST_DESCRIPTORS

#define CUSET_HOST_VALUES(Kind)                                                                    \
    cusparseStatus_t cusparseDestroy##Kind(cusparseConst##Kind##Descr_t descriptor) {              \
        return destroy_descriptor(descriptor);                                                     \
    }                                                                                              \
    cusparseStatus_t cusparse##Kind##GetValues(cusparse##Kind##Descr_t descriptor,                 \
                                               void** values) {                                    \
        return get_member(descriptor, &cusparse##Kind##Descr::values, values);                     \
    }                                                                                              \
    cusparseStatus_t cusparseConst##Kind##GetValues(cusparseConst##Kind##Descr_t descriptor,       \
                                                    const void** values) {                         \
        return get_member(descriptor, &cusparse##Kind##Descr::values, values);                     \
    }                                                                                              \
    cusparseStatus_t cusparse##Kind##SetValues(cusparse##Kind##Descr_t descriptor, void* values) { \
        return set_member(descriptor, &cusparse##Kind##Descr::values, values,                      \
                          may_lack_values(descriptor) || values != nullptr);                       \
    }
CUSET_HOST_VALUES(SpVec)
CUSET_HOST_VALUES(DnVec)
CUSET_HOST_VALUES(DnMat)
CUSET_HOST_VALUES(SpMat)
#undef CUSET_HOST_VALUES

cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t descriptor,
                                           cusparseIndexBase_t* base) {
    return get_member(descriptor, &cusparseSpVecDescr::base, base);
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
    give_if_wanted(count, descriptor->batches);
    give_if_wanted(stride, descriptor->stride);
    return CUSPARSE_STATUS_SUCCESS;
}

}  // extern "C"

#endif
