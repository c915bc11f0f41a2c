// cuSPARSE's conversions between formats, and its sorting of indices.
#include <algorithm>
#include <numeric>

#include "cuset_host/cuda_types.h"
#include "handle.h"

#if CUSPARSE_VERSION >= 12500

using namespace cuset_host;
using namespace cuset_host::sparse;

namespace {

cusparseStatus_t check_pair(cusparseHandle_t handle, cusparseConstSpMatDescr_t sparse,
                            cusparseConstDnMatDescr_t dense) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (sparse == nullptr || dense == nullptr || sparse->rows != dense->rows ||
        sparse->columns != dense->columns)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (sparse->type != dense->type || sparse->batches != 1 || dense->batches != 1 ||
        sparse->format == CUSPARSE_FORMAT_BSR || sparse->format == CUSPARSE_FORMAT_SLICED_ELLPACK)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return CUSPARSE_STATUS_SUCCESS;
}

/// The entries of a dense matrix that are not zero, by rows, or by columns for CSC.
template <class S>
sparse_rows<S> entries_of(const running_call& call, const cusparseDnMatDescr& from,
                          bool by_columns) {
    const auto dense =
        read_dense<S>(call, from, by_columns ? CUSPARSE_OPERATION_TRANSPOSE : as_it_is);
    sparse_rows<S> found;
    found.rows = dense.rows;
    found.columns = dense.columns;
    found.offsets.assign(1, 0);
    for (whole i = 0; i < dense.rows; ++i) {
        for (whole j = 0; j < dense.columns; ++j) {
            const S x = dense.at(i, j);
            if (x == S(0)) continue;
            found.column.push_back(j);
            found.value.push_back(x);
        }
        found.offsets.push_back(static_cast<whole>(found.column.size()));
    }
    return found;
}

/// The row of each entry.
std::vector<whole> expanded(const std::vector<whole>& offsets) {
    std::vector<whole> rows;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
        rows.insert(rows.end(), position(offsets[i + 1] - offsets[i]), static_cast<whole>(i));
    return rows;
}

template <class S>
dense_rows<S> filled(const sparse_rows<S>& a) {
    dense_rows<S> dense{a.rows, a.columns, std::vector<S>(position(a.rows * a.columns))};
    for (whole i = 0; i < a.rows; ++i)
        for (whole k = a.offsets[position(i)]; k < a.offsets[position(i + 1)]; ++k)
            dense.at(i, a.column[position(k)]) = a.value[position(k)];
    return dense;
}

template <class S>
void fill_blocks(const running_call& call, const cusparseDnMatDescr& from,
                 const cusparseSpMatDescr& to) {
    const auto dense = read_dense<S>(call, from, as_it_is);
    const auto places = read_sparse<S>(call, to, as_it_is, 0, false);
    std::vector<S> values(position(to.rows * to.stored));
    for (whole i = 0; i < places.rows; ++i)
        for (whole k = places.offsets[position(i)]; k < places.offsets[position(i + 1)]; ++k)
            values[position(places.place_of(k))] = dense.at(i, places.column[position(k)]);
    write_values(call, to.values, to.type, values);
}

template <class S>
void fill_entries(const running_call& call, const cusparseDnMatDescr& from,
                  const cusparseSpMatDescr& to) {
    const auto found = entries_of<S>(call, from, to.format == CUSPARSE_FORMAT_CSC);
    const auto outer = to.format == CUSPARSE_FORMAT_COO ? expanded(found.offsets) : found.offsets;
    write_indices(call, to.offsets, to.offset_type, from_base(outer, to.base));
    write_indices(call, to.indices, to.index_type, from_base(found.column, to.base));
    write_values(call, to.values, to.type, found.value);
}

/// Sorts `p`, if it is given, as the entries are sorted.
void permute(const running_call& call, int* p, const std::vector<std::size_t>& order) {
    if (p == nullptr) return;
    const auto old = read_indices(call, p, CUSPARSE_INDEX_32I, static_cast<whole>(order.size()));
    std::vector<whole> sorted;
    for (const std::size_t k : order) sorted.push_back(old[k]);
    write_indices(call, p, CUSPARSE_INDEX_32I, sorted);
}

/// Sorts entries by `first`, and where it is the same by `second`.
cusparseStatus_t sort_pairs(const char* name, cusparseHandle_t handle, int nnz, int* first_at,
                            int* second_at, int* p, const void* buffer) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (nnz < 0) return CUSPARSE_STATUS_INVALID_VALUE;
    if (nnz == 0) return CUSPARSE_STATUS_SUCCESS;
    if (first_at == nullptr || second_at == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    return run(name, handle, buffer, [&](const running_call& call) {
        const auto first = read_indices(call, first_at, CUSPARSE_INDEX_32I, nnz),
                   second = read_indices(call, second_at, CUSPARSE_INDEX_32I, nnz);
        std::vector<std::size_t> order(position(nnz));
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return first[a] != first[b] ? first[a] < first[b] : second[a] < second[b];
        });
        std::vector<whole> sorted_first, sorted_second;
        for (const std::size_t k : order) {
            sorted_first.push_back(first[k]);
            sorted_second.push_back(second[k]);
        }
        write_indices(call, first_at, CUSPARSE_INDEX_32I, sorted_first);
        write_indices(call, second_at, CUSPARSE_INDEX_32I, sorted_second);
        permute(call, p, order);
    });
}

/// Sorts the indices of each line of a matrix that has `lines` of them, rows or columns.
cusparseStatus_t sort_lines(const char* name, cusparseHandle_t handle, int lines, int others,
                            int nnz, cusparseMatDescr_t descriptor, const int* offsets,
                            int* indices, int* p, const void* buffer) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (lines < 0 || others < 0 || nnz < 0 || descriptor == nullptr)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (descriptor->type != CUSPARSE_MATRIX_TYPE_GENERAL)
        return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
    return run(name, handle, buffer, [&](const running_call& call) {
        const auto unsorted =
            csr_of(lines, others, nnz, offsets, indices, nullptr, CUDA_R_64F, descriptor->base);
        auto matrix = read_sparse<double>(call, unsorted, as_it_is, 0, false);
        sort_rows(matrix);
        std::vector<std::size_t> order;
        for (whole k = 0; k < matrix.count(); ++k) order.push_back(position(matrix.place_of(k)));
        write_indices(call, indices, CUSPARSE_INDEX_32I,
                      from_base(matrix.column, descriptor->base));
        permute(call, p, order);
    });
}

}  // namespace

extern "C" {

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle,
                                                  cusparseConstSpMatDescr_t from,
                                                  cusparseDnMatDescr_t to,
                                                  cusparseSparseToDenseAlg_t, size_t* bytes) {
    return give_buffer_size(check_pair(handle, from, to), bytes);
}
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t from,
                                       cusparseDnMatDescr_t to, cusparseSparseToDenseAlg_t,
                                       void* buffer) {
    const auto status = check_pair(handle, from, to);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    return run("cusparseSparseToDense", handle, buffer, from->type,
               [&](const auto& call, auto number) {
                   using S = decltype(number);
                   write_dense(call, *to, filled(read_sparse<S>(call, *from, as_it_is)));
               });
}

cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle,
                                                  cusparseConstDnMatDescr_t from,
                                                  cusparseSpMatDescr_t to,
                                                  cusparseDenseToSparseAlg_t, size_t* bytes) {
    return give_buffer_size(check_pair(handle, to, from), bytes);
}
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle,
                                                cusparseConstDnMatDescr_t from,
                                                cusparseSpMatDescr_t to, cusparseDenseToSparseAlg_t,
                                                void* buffer) {
    const auto status = check_pair(handle, to, from);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    if (to->format == CUSPARSE_FORMAT_BLOCKED_ELL) return status;
    return run("cusparseDenseToSparse_analysis", handle, buffer, from->type,
               [&](const auto& call, auto number) {
                   using S = decltype(number);
                   const auto found = entries_of<S>(call, *from, to->format == CUSPARSE_FORMAT_CSC);
                   to->nnz = found.count();
                   if (to->format != CUSPARSE_FORMAT_COO)
                       write_indices(call, to->offsets, to->offset_type,
                                     from_base(found.offsets, to->base));
               });
}
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle,
                                               cusparseConstDnMatDescr_t from,
                                               cusparseSpMatDescr_t to, cusparseDenseToSparseAlg_t,
                                               void* buffer) {
    const auto status = check_pair(handle, to, from);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    return run("cusparseDenseToSparse_convert", handle, buffer, from->type,
               [&](const auto& call, auto number) {
                   using S = decltype(number);
                   if (to->format == CUSPARSE_FORMAT_BLOCKED_ELL) {
                       fill_blocks<S>(call, *from, *to);
                   } else {
                       fill_entries<S>(call, *from, *to);
                   }
               });
}

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz,
                                               const void*, const int*, const int*, void*, int*,
                                               int*, cudaDataType type, cusparseAction_t,
                                               cusparseIndexBase_t base, cusparseCsr2CscAlg_t,
                                               size_t* bytes) {
    return give_buffer_size(
        check_call(handle, m >= 0 && n >= 0 && nnz >= 0 && is_base(base) && is_value_type(type)),
        bytes);
}
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz,
                                    const void* values, const int* offsets, const int* columns,
                                    void* csc_values, int* csc_offsets, int* csc_rows,
                                    cudaDataType type, cusparseAction_t action,
                                    cusparseIndexBase_t base, cusparseCsr2CscAlg_t, void* buffer) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || nnz < 0 || !is_base(base) || !is_value_type(type))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return run("cusparseCsr2cscEx2", handle, buffer, type, [&](const auto& call, auto number) {
        using S = decltype(number);
        const bool copies = action == CUSPARSE_ACTION_NUMERIC;
        const auto turned =
            read_sparse<S>(call, csr_of(m, n, nnz, offsets, columns, values, type, base),
                           CUSPARSE_OPERATION_TRANSPOSE, 0, copies);
        write_indices(call, csc_offsets, CUSPARSE_INDEX_32I, from_base(turned.offsets, base));
        write_indices(call, csc_rows, CUSPARSE_INDEX_32I, from_base(turned.column, base));
        if (copies) write_values(call, csc_values, type, turned.value);
    });
}

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int* rows_at, int nnz, int m,
                                  int* offsets_at, cusparseIndexBase_t base) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (nnz < 0 || m < 0 || !is_base(base)) return CUSPARSE_STATUS_INVALID_VALUE;
    return run("cusparseXcoo2csr", handle, nullptr, [&](const running_call& call) {
        std::vector<whole> offsets(position(m) + 1);
        for (const whole row : read_places(call, rows_at, CUSPARSE_INDEX_32I, base, nnz, m, "row"))
            ++offsets[position(row + 1)];
        std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
        write_indices(call, offsets_at, CUSPARSE_INDEX_32I, from_base(offsets, base));
    });
}
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int* offsets_at, int nnz, int m,
                                  int* rows_at, cusparseIndexBase_t base) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (nnz < 0 || m < 0 || !is_base(base)) return CUSPARSE_STATUS_INVALID_VALUE;
    return run("cusparseXcsr2coo", handle, nullptr, [&](const running_call& call) {
        const auto rows = csr_of(m, 0, nnz, offsets_at, nullptr, nullptr, CUDA_R_64F, base);
        write_indices(call, rows_at, CUSPARSE_INDEX_32I,
                      from_base(expanded(read_offsets(call, rows, m)), base));
    });
}

cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int* p) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (n < 0 || (p == nullptr && n > 0)) return CUSPARSE_STATUS_INVALID_VALUE;
    return run("cusparseCreateIdentityPermutation", handle, nullptr, [&](const running_call& call) {
        std::vector<whole> numbers(position(n));
        std::iota(numbers.begin(), numbers.end(), whole{0});
        write_indices(call, p, CUSPARSE_INDEX_32I, numbers);
    });
}

#define CUSET_HOST_SORT(name)                                                                    \
    cusparseStatus_t cusparseX##name##_bufferSizeExt(                                            \
        cusparseHandle_t handle, int m, int n, int nnz, const int*, const int*, size_t* bytes) { \
        return give_buffer_size(check_call(handle, m >= 0 && n >= 0 && nnz >= 0), bytes);        \
    }
CUSET_HOST_SORT(coosort)
CUSET_HOST_SORT(csrsort)
CUSET_HOST_SORT(cscsort)
#undef CUSET_HOST_SORT
cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int, int, int nnz, int* rows,
                                       int* columns, int* p, void* buffer) {
    return sort_pairs("cusparseXcoosortByRow", handle, nnz, rows, columns, p, buffer);
}
cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int, int, int nnz, int* rows,
                                          int* columns, int* p, void* buffer) {
    return sort_pairs("cusparseXcoosortByColumn", handle, nnz, columns, rows, p, buffer);
}
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz,
                                  const cusparseMatDescr_t descriptor, const int* offsets,
                                  int* columns, int* p, void* buffer) {
    return sort_lines("cusparseXcsrsort", handle, m, n, nnz, descriptor, offsets, columns, p,
                      buffer);
}
cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int m, int n, int nnz,
                                  const cusparseMatDescr_t descriptor, const int* offsets,
                                  int* rows, int* p, void* buffer) {
    return sort_lines("cusparseXcscsort", handle, n, m, nnz, descriptor, offsets, rows, p, buffer);
}

}  // extern "C"

#endif
