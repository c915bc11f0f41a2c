// cuSPARSE's descriptors of sparse matrices.
#include "cuset_host/cuda_types.h"

#if CUSET_HOST_TOOLKIT && __has_include(<cusparse.h>)

#include <cstring>

#include "library_cusparse.h"

#if CUSPARSE_VERSION >= 12500

using namespace cuset_host;
using sparse::whole;

namespace {

template <class T, class V>
void give(T* to, V value) {
    if (to != nullptr) *to = value;
}

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
    if (made == nullptr || m.rows < 0 || m.columns < 0 || m.nnz < 0 || !sparse::is_base(base))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!sparse::is_index_type(offset_type) || !sparse::is_index_type(index_type) ||
        !sparse::is_value_type(type))
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
    if (height < 1 || width < 1 || !sparse::is_order(order)) return CUSPARSE_STATUS_INVALID_VALUE;
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
cusparseStatus_t get(const cusparseSpMatDescr* of, cusparseFormat_t format, whole* rows,
                     whole* columns, whole* nnz, Pointer* offsets, Pointer* indices,
                     Pointer* values, cusparseIndexType_t* offset_type,
                     cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                     cudaDataType* type) {
    if (of == nullptr || of->format != format) return CUSPARSE_STATUS_INVALID_VALUE;
    give(rows, of->rows);
    give(columns, of->columns);
    give(nnz, of->nnz);
    give(offsets, of->offsets);
    give(indices, of->indices);
    give(values, of->values);
    give(offset_type, of->offset_type);
    give(index_type, of->index_type);
    give(base, of->base);
    give(type, of->type);
    return CUSPARSE_STATUS_SUCCESS;
}

template <class Pointer>
cusparseStatus_t get_ell(const cusparseSpMatDescr* of, whole* rows, whole* columns, whole* block,
                         whole* stored, Pointer* indices, Pointer* values,
                         cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                         cudaDataType* type) {
    if (of == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    give(block, of->block_rows);
    give(stored, of->stored);
    return get<Pointer>(of, CUSPARSE_FORMAT_BLOCKED_ELL, rows, columns, nullptr, nullptr, indices,
                        values, nullptr, index_type, base, type);
}

cusparseStatus_t set_pointers(cusparseSpMatDescr* of, cusparseFormat_t format, void* offsets,
                              void* indices, void* values) {
    if (of == nullptr || of->format != format) return CUSPARSE_STATUS_INVALID_VALUE;
    if (of->nnz > 0 && (offsets == nullptr || indices == nullptr || values == nullptr))
        return CUSPARSE_STATUS_INVALID_VALUE;
    of->offsets = offsets;
    of->indices = indices;
    of->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t set_batch(cusparseSpMatDescr* of, cusparseFormat_t format, int count,
                           whole offset_stride, whole index_stride, whole value_stride) {
    if (of == nullptr || of->format != format || count < 1 || offset_stride < 0 ||
        index_stride < 0 || value_stride < 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    of->batches = count;
    of->offset_stride = offset_stride;
    of->index_stride = index_stride;
    of->value_stride = value_stride;
    return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

#define CUSET_HOST_FORMAT(prefix, Descriptor, Pointer)                                             \
    cusparseStatus_t cusparseCreate##prefix##Csr(                                                  \
        Descriptor* made, int64_t rows, int64_t columns, int64_t nnz, Pointer offsets,             \
        Pointer indices, Pointer values, cusparseIndexType_t offset_type,                          \
        cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {             \
        return make(const_cast<cusparseSpMatDescr_t*>(made),                                       \
                    shape_of(CUSPARSE_FORMAT_CSR, rows, columns, nnz), offsets, indices, values,   \
                    offset_type, index_type, base, type);                                          \
    }                                                                                              \
    cusparseStatus_t cusparseCreate##prefix##Csc(                                                  \
        Descriptor* made, int64_t rows, int64_t columns, int64_t nnz, Pointer offsets,             \
        Pointer indices, Pointer values, cusparseIndexType_t offset_type,                          \
        cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {             \
        return make(const_cast<cusparseSpMatDescr_t*>(made),                                       \
                    shape_of(CUSPARSE_FORMAT_CSC, rows, columns, nnz), offsets, indices, values,   \
                    offset_type, index_type, base, type);                                          \
    }                                                                                              \
    cusparseStatus_t cusparseCreate##prefix##Coo(Descriptor* made, int64_t rows, int64_t columns,  \
                                                 int64_t nnz, Pointer row_of, Pointer column_of,   \
                                                 Pointer values, cusparseIndexType_t index_type,   \
                                                 cusparseIndexBase_t base, cudaDataType type) {    \
        return make(const_cast<cusparseSpMatDescr_t*>(made),                                       \
                    shape_of(CUSPARSE_FORMAT_COO, rows, columns, nnz), row_of, column_of, values,  \
                    index_type, index_type, base, type);                                           \
    }                                                                                              \
    cusparseStatus_t cusparseCreate##prefix##Bsr(                                                  \
        Descriptor* made, int64_t rows, int64_t columns, int64_t nnz, int64_t height,              \
        int64_t width, Pointer offsets, Pointer indices, Pointer values,                           \
        cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base, \
        cudaDataType type, cusparseOrder_t order) {                                                \
        return make_blocks(const_cast<cusparseSpMatDescr_t*>(made), rows, columns, nnz, height,    \
                           width, offsets, indices, values, offset_type, index_type, base, type,   \
                           order);                                                                 \
    }                                                                                              \
    cusparseStatus_t cusparseCreate##prefix##BlockedEll(                                           \
        Descriptor* made, int64_t rows, int64_t columns, int64_t block, int64_t stored,            \
        Pointer indices, Pointer values, cusparseIndexType_t index_type, cusparseIndexBase_t base, \
        cudaDataType type) {                                                                       \
        return make_ell(const_cast<cusparseSpMatDescr_t*>(made), rows, columns, block, stored,     \
                        indices, values, index_type, base, type);                                  \
    }                                                                                              \
    cusparseStatus_t cusparseCreate##prefix##SlicedEll(                                            \
        Descriptor* made, int64_t rows, int64_t columns, int64_t nnz, int64_t stored,              \
        int64_t height, Pointer offsets, Pointer indices, Pointer values,                          \
        cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base, \
        cudaDataType type) {                                                                       \
        return make_slices(const_cast<cusparseSpMatDescr_t*>(made), rows, columns, nnz, stored,    \
                           height, offsets, indices, values, offset_type, index_type, base, type); \
    }                                                                                              \
    cusparseStatus_t cusparse##prefix##CsrGet(                                                     \
        Descriptor of, int64_t* rows, int64_t* columns, int64_t* nnz, Pointer* offsets,            \
        Pointer* indices, Pointer* values, cusparseIndexType_t* offset_type,                       \
        cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type) {          \
        return get(of, CUSPARSE_FORMAT_CSR, rows, columns, nnz, offsets, indices, values,          \
                   offset_type, index_type, base, type);                                           \
    }                                                                                              \
    cusparseStatus_t cusparse##prefix##CscGet(                                                     \
        Descriptor of, int64_t* rows, int64_t* columns, int64_t* nnz, Pointer* offsets,            \
        Pointer* indices, Pointer* values, cusparseIndexType_t* offset_type,                       \
        cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type) {          \
        return get(of, CUSPARSE_FORMAT_CSC, rows, columns, nnz, offsets, indices, values,          \
                   offset_type, index_type, base, type);                                           \
    }                                                                                              \
    cusparseStatus_t cusparse##prefix##CooGet(Descriptor of, int64_t* rows, int64_t* columns,      \
                                              int64_t* nnz, Pointer* row_of, Pointer* column_of,   \
                                              Pointer* values, cusparseIndexType_t* index_type,    \
                                              cusparseIndexBase_t* base, cudaDataType* type) {     \
        return get(of, CUSPARSE_FORMAT_COO, rows, columns, nnz, row_of, column_of, values,         \
                   nullptr, index_type, base, type);                                               \
    }                                                                                              \
    cusparseStatus_t cusparse##prefix##BlockedEllGet(                                              \
        Descriptor of, int64_t* rows, int64_t* columns, int64_t* block, int64_t* stored,           \
        Pointer* indices, Pointer* values, cusparseIndexType_t* index_type,                        \
        cusparseIndexBase_t* base, cudaDataType* type) {                                           \
        return get_ell(of, rows, columns, block, stored, indices, values, index_type, base, type); \
    }
CUSET_HOST_FORMAT(, cusparseSpMatDescr_t, void*)
CUSET_HOST_FORMAT(Const, cusparseConstSpMatDescr_t, const void*)
#undef CUSET_HOST_FORMAT

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t of) {
    if (of == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    delete of;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t of, cusparseFormat_t* format) {
    if (of == nullptr || format == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *format = of->format;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t of,
                                           cusparseIndexBase_t* base) {
    if (of == nullptr || base == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *base = of->base;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t of, void** values) {
    if (of == nullptr || values == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *values = of->values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseConstSpMatGetValues(cusparseConstSpMatDescr_t of, const void** values) {
    if (of == nullptr || values == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *values = of->values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t of, void* values) {
    if (of == nullptr || (values == nullptr && of->nnz > 0)) return CUSPARSE_STATUS_INVALID_VALUE;
    of->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t of, int64_t* rows, int64_t* columns,
                                      int64_t* nnz) {
    if (of == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    give(rows, of->rows);
    give(columns, of->columns);
    give(nnz, of->nnz);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t of, int* count) {
    if (of == nullptr || count == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *count = of->batches;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t of, int count, int64_t stride) {
    return set_batch(of, CUSPARSE_FORMAT_COO, count, stride, stride, stride);
}
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t of, int count,
                                            int64_t offset_stride, int64_t stride) {
    return set_batch(of, CUSPARSE_FORMAT_CSR, count, offset_stride, stride, stride);
}
cusparseStatus_t cusparseBsrSetStridedBatch(cusparseSpMatDescr_t of, int count,
                                            int64_t offset_stride, int64_t index_stride,
                                            int64_t value_stride) {
    return set_batch(of, CUSPARSE_FORMAT_BSR, count, offset_stride, index_stride, value_stride);
}

cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t of,
                                           cusparseSpMatAttribute_t attribute, void* data,
                                           size_t bytes) {
    if (of == nullptr || data == nullptr || bytes != sizeof(of->fill))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (attribute == CUSPARSE_SPMAT_FILL_MODE) {
        std::memcpy(data, &of->fill, bytes);
    } else if (attribute == CUSPARSE_SPMAT_DIAG_TYPE) {
        std::memcpy(data, &of->diagonal, bytes);
    } else {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t of,
                                           cusparseSpMatAttribute_t attribute, void* data,
                                           size_t bytes) {
    if (of == nullptr || data == nullptr || bytes != sizeof(of->fill))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (attribute == CUSPARSE_SPMAT_FILL_MODE) {
        std::memcpy(&of->fill, data, bytes);
    } else if (attribute == CUSPARSE_SPMAT_DIAG_TYPE) {
        std::memcpy(&of->diagonal, data, bytes);
    } else {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t of, void* offsets, void* indices,
                                        void* values) {
    return set_pointers(of, CUSPARSE_FORMAT_CSR, offsets, indices, values);
}
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t of, void* offsets, void* indices,
                                        void* values) {
    return set_pointers(of, CUSPARSE_FORMAT_CSC, offsets, indices, values);
}
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t of, void* row_of, void* column_of,
                                        void* values) {
    return set_pointers(of, CUSPARSE_FORMAT_COO, row_of, column_of, values);
}

}  // extern "C"

#endif
#endif
