// cuSPARSE's descriptors of sparse matrices.
#include <cstring>

#include "cuset_host/cuda_types.h"
#include "handle.h"

#if CUSPARSE_VERSION >= 12500

using namespace cuset_host;
using namespace cuset_host::sparse;

namespace {

cusparseSpMatDescr shape_of(cusparseFormat_t format, whole rows, whole columns, whole nnz) {
    cusparseSpMatDescr m{};
    m.format = format;
    m.rows = rows;
    m.columns = columns;
    m.nnz = nnz;
    return m;
}

/// The rest of a descriptor whose shape is known.
cusparseStatus_t make(cusparseSpMatDescr_t* made, cusparseSpMatDescr m, const void* offsets,
                      const void* indices, const void* values, cusparseIndexType_t offset_type,
                      cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {
    if (made == nullptr || m.rows < 0 || m.columns < 0 || m.nnz < 0 || !is_base(base))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!is_index_type(offset_type) || !is_index_type(index_type) || !is_value_type(type))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    m.offsets = const_cast<void*>(offsets);
    m.indices = const_cast<void*>(indices);
    m.values = const_cast<void*>(values);
    m.offset_type = offset_type;
    m.index_type = index_type;
    m.base = base;
    m.type = type;
    *made = new cusparseSpMatDescr(m);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t make_blocks(cusparseSpMatDescr_t* made, whole rows, whole columns, whole nnz,
                             whole height, whole width, const void* offsets, const void* indices,
                             const void* values, cusparseIndexType_t offset_type,
                             cusparseIndexType_t index_type, cusparseIndexBase_t base,
                             cudaDataType type, cusparseOrder_t order) {
    if (height < 1 || width < 1 || !is_order(order)) return CUSPARSE_STATUS_INVALID_VALUE;
    whole all_rows = 0, all_columns = 0, entries = 0;
    if (__builtin_mul_overflow(rows, height, &all_rows) ||
        __builtin_mul_overflow(columns, width, &all_columns) ||
        __builtin_mul_overflow(height, width, &entries) ||
        __builtin_mul_overflow(nnz, entries, &entries))
        return CUSPARSE_STATUS_INVALID_VALUE;
    auto m = shape_of(CUSPARSE_FORMAT_BSR, all_rows, all_columns, entries);
    m.block_rows = height;
    m.block_columns = width;
    m.block_order = order;
    return make(made, m, offsets, indices, values, offset_type, index_type, base, type);
}

cusparseStatus_t make_ell(cusparseSpMatDescr_t* made, whole rows, whole columns, whole block,
                          whole stored, const void* indices, const void* values,
                          cusparseIndexType_t index_type, cusparseIndexBase_t base,
                          cudaDataType type) {
    if (block < 1 || stored < 0 || stored > columns || rows % block != 0 || columns % block != 0 ||
        stored % block != 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    auto m = shape_of(CUSPARSE_FORMAT_BLOCKED_ELL, rows, columns, rows * stored);
    m.block_rows = m.block_columns = block;
    m.stored = stored;
    return make(made, m, nullptr, indices, values, index_type, index_type, base, type);
}

cusparseStatus_t make_slices(cusparseSpMatDescr_t* made, whole rows, whole columns, whole nnz,
                             whole stored, whole height, const void* offsets, const void* indices,
                             const void* values, cusparseIndexType_t offset_type,
                             cusparseIndexType_t index_type, cusparseIndexBase_t base,
                             cudaDataType type) {
    if (height < 1 || stored < nnz) return CUSPARSE_STATUS_INVALID_VALUE;
    auto m = shape_of(CUSPARSE_FORMAT_SLICED_ELLPACK, rows, columns, nnz);
    m.block_rows = height;
    m.stored = stored;
    return make(made, m, offsets, indices, values, offset_type, index_type, base, type);
}

template <class Pointer>
cusparseStatus_t get(const cusparseSpMatDescr* descriptor, cusparseFormat_t format, whole* rows,
                     whole* columns, whole* nnz, Pointer* offsets, Pointer* indices,
                     Pointer* values, cusparseIndexType_t* offset_type,
                     cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                     cudaDataType* type) {
    if (descriptor == nullptr || descriptor->format != format) return CUSPARSE_STATUS_INVALID_VALUE;
    give_if_wanted(rows, descriptor->rows);
    give_if_wanted(columns, descriptor->columns);
    give_if_wanted(nnz, descriptor->nnz);
    give_if_wanted(offsets, descriptor->offsets);
    give_if_wanted(indices, descriptor->indices);
    give_if_wanted(values, descriptor->values);
    give_if_wanted(offset_type, descriptor->offset_type);
    give_if_wanted(index_type, descriptor->index_type);
    give_if_wanted(base, descriptor->base);
    give_if_wanted(type, descriptor->type);
    return CUSPARSE_STATUS_SUCCESS;
}

template <class Pointer>
cusparseStatus_t get_ell(const cusparseSpMatDescr* descriptor, whole* rows, whole* columns,
                         whole* block, whole* stored, Pointer* indices, Pointer* values,
                         cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                         cudaDataType* type) {
    if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    give_if_wanted(block, descriptor->block_rows);
    give_if_wanted(stored, descriptor->stored);
    return get<Pointer>(descriptor, CUSPARSE_FORMAT_BLOCKED_ELL, rows, columns, nullptr, nullptr,
                        indices, values, nullptr, index_type, base, type);
}

cusparseStatus_t set_pointers(cusparseSpMatDescr* descriptor, cusparseFormat_t format,
                              void* offsets, void* indices, void* values) {
    if (descriptor == nullptr || descriptor->format != format) return CUSPARSE_STATUS_INVALID_VALUE;
    if (descriptor->nnz > 0 && (offsets == nullptr || indices == nullptr || values == nullptr))
        return CUSPARSE_STATUS_INVALID_VALUE;
    descriptor->offsets = offsets;
    descriptor->indices = indices;
    descriptor->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t set_batch(cusparseSpMatDescr* descriptor, cusparseFormat_t format, int count,
                           whole offset_stride, whole index_stride, whole value_stride) {
    if (descriptor == nullptr || descriptor->format != format || count < 1 || offset_stride < 0 ||
        index_stride < 0 || value_stride < 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    descriptor->batches = count;
    descriptor->offset_stride = offset_stride;
    descriptor->index_stride = index_stride;
    descriptor->value_stride = value_stride;
    return CUSPARSE_STATUS_SUCCESS;
}

/// Where an attribute of that many bytes is; null if there is none.
const void* place_of(const cusparseSpMatDescr* descriptor, cusparseSpMatAttribute_t attribute,
                     std::size_t bytes) {
    if (descriptor == nullptr || bytes != sizeof descriptor->fill) return nullptr;
    if (attribute == CUSPARSE_SPMAT_FILL_MODE) return &descriptor->fill;
    return attribute == CUSPARSE_SPMAT_DIAG_TYPE ? &descriptor->diagonal : nullptr;
}

}  // namespace

extern "C" {

// Const stands in the names of calls for matrices that no call changes.
#define CUSET_HOST_FORMAT(Const, Pointer, Csr, CSR)                                                \
    cusparseStatus_t cusparseCreate##Const##Csr(                                                   \
        cusparse##Const##SpMatDescr_t* made, int64_t rows, int64_t columns, int64_t nnz,           \
        Pointer offsets, Pointer indices, Pointer values, cusparseIndexType_t offset_type,         \
        cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {             \
        return make(const_cast<cusparseSpMatDescr_t*>(made),                                       \
                    shape_of(CUSPARSE_FORMAT_##CSR, rows, columns, nnz), offsets, indices, values, \
                    offset_type, index_type, base, type);                                          \
    }                                                                                              \
    cusparseStatus_t cusparse##Const##Csr##Get(                                                    \
        cusparse##Const##SpMatDescr_t descriptor, int64_t* rows, int64_t* columns, int64_t* nnz,   \
        Pointer* offsets, Pointer* indices, Pointer* values, cusparseIndexType_t* offset_type,     \
        cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type) {          \
        return get(descriptor, CUSPARSE_FORMAT_##CSR, rows, columns, nnz, offsets, indices,        \
                   values, offset_type, index_type, base, type);                                   \
    }
CUSET_HOST_FORMAT(, void*, Csr, CSR)
CUSET_HOST_FORMAT(, void*, Csc, CSC)
CUSET_HOST_FORMAT(Const, const void*, Csr, CSR)
CUSET_HOST_FORMAT(Const, const void*, Csc, CSC)
#undef CUSET_HOST_FORMAT

#define CUSET_HOST_FORMATS(Const, Pointer)                                                         \
    cusparseStatus_t cusparseCreate##Const##Coo(                                                   \
        cusparse##Const##SpMatDescr_t* made, int64_t rows, int64_t columns, int64_t nnz,           \
        Pointer row_of, Pointer column_of, Pointer values, cusparseIndexType_t index_type,         \
        cusparseIndexBase_t base, cudaDataType type) {                                             \
        return make(const_cast<cusparseSpMatDescr_t*>(made),                                       \
                    shape_of(CUSPARSE_FORMAT_COO, rows, columns, nnz), row_of, column_of, values,  \
                    index_type, index_type, base, type);                                           \
    }                                                                                              \
    cusparseStatus_t cusparse##Const##CooGet(                                                      \
        cusparse##Const##SpMatDescr_t descriptor, int64_t* rows, int64_t* columns, int64_t* nnz,   \
        Pointer* row_of, Pointer* column_of, Pointer* values, cusparseIndexType_t* index_type,     \
        cusparseIndexBase_t* base, cudaDataType* type) {                                           \
        return get(descriptor, CUSPARSE_FORMAT_COO, rows, columns, nnz, row_of, column_of, values, \
                   nullptr, index_type, base, type);                                               \
    }                                                                                              \
    cusparseStatus_t cusparseCreate##Const##Bsr(                                                   \
        cusparse##Const##SpMatDescr_t* made, int64_t rows, int64_t columns, int64_t nnz,           \
        int64_t height, int64_t width, Pointer offsets, Pointer indices, Pointer values,           \
        cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base, \
        cudaDataType type, cusparseOrder_t order) {                                                \
        return make_blocks(const_cast<cusparseSpMatDescr_t*>(made), rows, columns, nnz, height,    \
                           width, offsets, indices, values, offset_type, index_type, base, type,   \
                           order);                                                                 \
    }                                                                                              \
    cusparseStatus_t cusparseCreate##Const##BlockedEll(                                            \
        cusparse##Const##SpMatDescr_t* made, int64_t rows, int64_t columns, int64_t block,         \
        int64_t stored, Pointer indices, Pointer values, cusparseIndexType_t index_type,           \
        cusparseIndexBase_t base, cudaDataType type) {                                             \
        return make_ell(const_cast<cusparseSpMatDescr_t*>(made), rows, columns, block, stored,     \
                        indices, values, index_type, base, type);                                  \
    }                                                                                              \
    cusparseStatus_t cusparseCreate##Const##SlicedEll(                                             \
        cusparse##Const##SpMatDescr_t* made, int64_t rows, int64_t columns, int64_t nnz,           \
        int64_t stored, int64_t height, Pointer offsets, Pointer indices, Pointer values,          \
        cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base, \
        cudaDataType type) {                                                                       \
        return make_slices(const_cast<cusparseSpMatDescr_t*>(made), rows, columns, nnz, stored,    \
                           height, offsets, indices, values, offset_type, index_type, base, type); \
    }                                                                                              \
    cusparseStatus_t cusparse##Const##BlockedEllGet(                                               \
        cusparse##Const##SpMatDescr_t descriptor, int64_t* rows, int64_t* columns, int64_t* block, \
        int64_t* stored, Pointer* indices, Pointer* values, cusparseIndexType_t* index_type,       \
        cusparseIndexBase_t* base, cudaDataType* type) {                                           \
        return get_ell(descriptor, rows, columns, block, stored, indices, values, index_type,      \
                       base, type);                                                                \
    }
CUSET_HOST_FORMATS(, void*)
CUSET_HOST_FORMATS(Const, const void*)
#undef CUSET_HOST_FORMATS

#define CUSET_HOST_POINTERS(Csr, CSR)                                                           \
    cusparseStatus_t cusparse##Csr##SetPointers(cusparseSpMatDescr_t descriptor, void* offsets, \
                                                void* indices, void* values) {                  \
        return set_pointers(descriptor, CUSPARSE_FORMAT_##CSR, offsets, indices, values);       \
    }
CUSET_HOST_POINTERS(Csr, CSR)
CUSET_HOST_POINTERS(Csc, CSC)
CUSET_HOST_POINTERS(Coo, COO)
#undef CUSET_HOST_POINTERS

cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t descriptor,
                                        cusparseFormat_t* format) {
    return get_member(descriptor, &cusparseSpMatDescr::format, format);
}
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t descriptor,
                                           cusparseIndexBase_t* base) {
    return get_member(descriptor, &cusparseSpMatDescr::base, base);
}
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t descriptor, int* count) {
    return get_member(descriptor, &cusparseSpMatDescr::batches, count);
}
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t descriptor, int64_t* rows,
                                      int64_t* columns, int64_t* nnz) {
    if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    give_if_wanted(rows, descriptor->rows);
    give_if_wanted(columns, descriptor->columns);
    give_if_wanted(nnz, descriptor->nnz);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t descriptor, int count,
                                            int64_t stride) {
    return set_batch(descriptor, CUSPARSE_FORMAT_COO, count, stride, stride, stride);
}
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t descriptor, int count,
                                            int64_t offset_stride, int64_t stride) {
    return set_batch(descriptor, CUSPARSE_FORMAT_CSR, count, offset_stride, stride, stride);
}
cusparseStatus_t cusparseBsrSetStridedBatch(cusparseSpMatDescr_t descriptor, int count,
                                            int64_t offset_stride, int64_t index_stride,
                                            int64_t value_stride) {
    return set_batch(descriptor, CUSPARSE_FORMAT_BSR, count, offset_stride, index_stride,
                     value_stride);
}

cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t descriptor,
                                           cusparseSpMatAttribute_t attribute, void* data,
                                           size_t bytes) {
    const void* const from = place_of(descriptor, attribute, bytes);
    if (from == nullptr || data == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    std::memcpy(data, from, bytes);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t descriptor,
                                           cusparseSpMatAttribute_t attribute, void* data,
                                           size_t bytes) {
    void* const to = const_cast<void*>(place_of(descriptor, attribute, bytes));
    if (to == nullptr || data == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    std::memcpy(to, data, bytes);
    return CUSPARSE_STATUS_SUCCESS;
}

}  // extern "C"

#endif
