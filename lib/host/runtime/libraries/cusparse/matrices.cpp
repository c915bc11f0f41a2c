// Sparse matrices of all formats, read by rows: see handle.h.
#include <algorithm>
#include <numeric>

#include "cuset_host/cuda_types.h"
#include "handle.h"

#if CUSPARSE_VERSION >= 12500

namespace cuset_host::sparse {
namespace {

/// The entries in the order of the storage.
struct entries {
    std::vector<whole> row, column, place;

    void add(whole r, whole c, whole at) {
        row.push_back(r);
        column.push_back(c);
        place.push_back(at);
    }
};

const void* batch_of(const void* p, cusparseIndexType_t type, whole first) {
    const std::size_t size = type == CUSPARSE_INDEX_64I ? 8 : 4;
    return p == nullptr ? p : static_cast<const char*>(p) + position(first) * size;
}

/// What the offsets of a matrix count: entries, blocks, or places of slices.
whole places_of(const cusparseSpMatDescr& m) {
    if (m.format == CUSPARSE_FORMAT_SLICED_ELLPACK) return m.stored;
    return m.nnz / (m.block_rows * m.block_columns);
}

/// Places of a matrix in `p`, its indices or COO's rows.
std::vector<whole> read_places(const running_call& call, const cusparseSpMatDescr& m, const void* p,
                               cusparseIndexType_t type, whole count, whole limit, whole batch,
                               const char* what, bool may_be_none = false) {
    return sparse::read_places(call, batch_of(p, type, batch * m.index_stride), type, m.base, count,
                               limit, what, may_be_none);
}

/// The entries of blocks, those of line `r` of which lie from first[r] to first[r + 1].
void add_blocks(entries& all, const cusparseSpMatDescr& m, const std::vector<whole>& first,
                const std::vector<whole>& column) {
    const whole height = m.block_rows, width = m.block_columns;
    const bool by_rows = m.block_order == CUSPARSE_ORDER_ROW;
    for (std::size_t r = 0; r + 1 < first.size(); ++r)
        for (whole i = 0; i < height; ++i)
            for (whole b = first[r]; b < first[r + 1]; ++b)
                for (whole j = 0; j < width; ++j)
                    all.add(static_cast<whole>(r) * height + i, column[position(b)] * width + j,
                            b * height * width + (by_rows ? i * width + j : i + j * height));
}

/// Blocked-ELL: a block's rows lie in the rows of a matrix of rows x stored values.
void add_ell_blocks(entries& all, const cusparseSpMatDescr& m, const std::vector<whole>& column) {
    const whole size = m.block_rows, across = m.stored / size;
    for (whole r = 0; r < m.rows; ++r)
        for (whole b = 0; b < across; ++b) {
            const whole block = column[position(r / size * across + b)];
            if (block < 0) continue;
            for (whole j = 0; j < size; ++j)
                all.add(r, block * size + j, r * m.stored + b * size + j);
        }
}

/// Sliced-ELL: the first entries of all rows of a slice, then the second ones, and so on.
void add_slices(entries& all, const cusparseSpMatDescr& m, const std::vector<whole>& first,
                const std::vector<whole>& column) {
    for (std::size_t s = 0; s + 1 < first.size(); ++s)
        for (whole k = first[s]; k < first[s + 1]; ++k) {
            const whole row = static_cast<whole>(s) * m.block_rows + (k - first[s]) % m.block_rows;
            if (row < m.rows && column[position(k)] >= 0) all.add(row, column[position(k)], k);
        }
}

entries read_entries(const running_call& call, const cusparseSpMatDescr& m, whole batch) {
    entries all;
    switch (m.format) {
        case CUSPARSE_FORMAT_COO:
            all.row = read_places(call, m, m.offsets, m.offset_type, m.nnz, m.rows, batch, "row");
            all.column =
                read_places(call, m, m.indices, m.index_type, m.nnz, m.columns, batch, "column");
            all.place.resize(all.row.size());
            std::iota(all.place.begin(), all.place.end(), whole{0});
            break;
        case CUSPARSE_FORMAT_CSR:
        case CUSPARSE_FORMAT_CSC: {
            const bool by_rows = m.format == CUSPARSE_FORMAT_CSR;
            const whole lines = by_rows ? m.rows : m.columns;
            const auto offsets = read_offsets(call, m, lines, batch);
            auto inner =
                read_places(call, m, m.indices, m.index_type, offsets.back(),
                            by_rows ? m.columns : m.rows, batch, by_rows ? "column" : "row");
            std::vector<whole> outer(inner.size());
            for (whole i = 0; i < lines; ++i)
                for (whole k = offsets[position(i)]; k < offsets[position(i + 1)]; ++k)
                    outer[position(k)] = i;
            all.row = by_rows ? std::move(outer) : inner;
            all.column = by_rows ? std::move(inner) : std::move(outer);
            all.place.resize(all.row.size());
            std::iota(all.place.begin(), all.place.end(), whole{0});
            break;
        }
        case CUSPARSE_FORMAT_BSR: {
            const auto offsets = read_offsets(call, m, m.rows / m.block_rows, batch);
            add_blocks(all, m, offsets,
                       read_places(call, m, m.indices, m.index_type, offsets.back(),
                                   m.columns / m.block_columns, batch, "column of blocks"));
            break;
        }
        case CUSPARSE_FORMAT_BLOCKED_ELL:
            add_ell_blocks(all, m,
                           read_places(call, m, m.indices, m.index_type,
                                       m.rows / m.block_rows * (m.stored / m.block_rows),
                                       m.columns / m.block_rows, batch, "column of blocks", true));
            break;
        case CUSPARSE_FORMAT_SLICED_ELLPACK: {
            const auto offsets =
                read_offsets(call, m, (m.rows + m.block_rows - 1) / m.block_rows, batch);
            add_slices(all, m, offsets,
                       read_places(call, m, m.indices, m.index_type, offsets.back(), m.columns,
                                   batch, "column", true));
            break;
        }
    }
    return all;
}

/// Sorts the entries by rows, and leaves those of a row in their order.
template <class S>
void order_by_rows(entries& all, sparse_rows<S>& result) {
    result.offsets.assign(position(result.rows + 1), 0);
    for (const whole r : all.row) ++result.offsets[position(r + 1)];
    std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
    if (std::is_sorted(all.row.begin(), all.row.end())) {
        result.column = std::move(all.column);
        result.place = std::move(all.place);
        return;
    }
    std::vector<whole> next = result.offsets;
    result.column.resize(all.row.size());
    result.place.resize(all.row.size());
    for (std::size_t k = 0; k < all.row.size(); ++k) {
        const std::size_t to = position(next[position(all.row[k])]++);
        result.column[to] = all.column[k];
        result.place[to] = all.place[k];
    }
}

}  // namespace

std::vector<whole> read_offsets(const running_call& call, const cusparseSpMatDescr& m, whole lines,
                                whole batch) {
    // A matrix without entries may lack its arrays.
    if (m.offsets == nullptr && m.nnz == 0) return std::vector<whole>(position(lines + 1));
    auto offsets = read_indices(call, batch_of(m.offsets, m.offset_type, batch * m.offset_stride),
                                m.offset_type, lines + 1);
    for (whole& each : offsets) each -= m.base;
    if (offsets[0] != 0)
        fail_matrix(call, "the first offset is " + std::to_string(offsets[0] + m.base) + ", not " +
                              std::to_string(int{m.base}));
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
        if (offsets[i] > offsets[i + 1])
            fail_matrix(call, "offset " + std::to_string(offsets[i + 1] + m.base) +
                                  " after offset " + std::to_string(offsets[i] + m.base));
    if (offsets.back() > places_of(m))
        fail_matrix(call, "the last offset counts " + std::to_string(offsets.back()) + " of " +
                              std::to_string(places_of(m)) + " places");
    return offsets;
}

template <class S>
sparse_rows<S> read_sparse(const running_call& call, const cusparseSpMatDescr& m,
                           cusparseOperation_t op, whole batch, bool with_values) {
    if (m.batches == 1) batch = 0;
    const bool turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    sparse_rows<S> result;
    result.rows = turned ? m.columns : m.rows;
    result.columns = turned ? m.rows : m.columns;
    const bool is_by_rows = m.format == (turned ? CUSPARSE_FORMAT_CSC : CUSPARSE_FORMAT_CSR);
    if (is_by_rows) {
        result.offsets = read_offsets(call, m, result.rows, batch);
        result.column = read_places(call, m, m.indices, m.index_type, result.count(),
                                    result.columns, batch, turned ? "row" : "column");
    } else {
        entries all = read_entries(call, m, batch);
        if (turned) all.row.swap(all.column);
        order_by_rows(all, result);
    }
    if (!with_values) return result;
    const whole stored = result.place.empty()
                             ? result.count()
                             : *std::max_element(result.place.begin(), result.place.end()) + 1;
    // What no entry uses, padding, needs no value.
    auto values = read_values<S>(call, m.values, m.type, stored, batch * m.value_stride,
                                 stored == result.count() ? touch::read : touch::reach);
    if (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
        for (S& each : values) each = conjugate(each);
    if (result.place.empty()) {
        result.value = std::move(values);
    } else {
        result.value.resize(result.place.size());
        for (std::size_t k = 0; k < result.place.size(); ++k)
            result.value[k] = values[position(result.place[k])];
    }
    return result;
}

template <class S>
void sort_rows(sparse_rows<S>& m) {
    std::vector<std::size_t> order;
    const auto reorder = [&](auto& all, std::size_t begin) {
        const std::decay_t<decltype(all)> old(
            all.begin() + static_cast<whole>(begin),
            all.begin() + static_cast<whole>(begin + order.size()));
        for (std::size_t k = 0; k < order.size(); ++k) all[begin + k] = old[order[k]];
    };
    for (whole i = 0; i < m.rows; ++i) {
        const whole first = m.offsets[position(i)], end = m.offsets[position(i + 1)];
        const auto columns = m.column.begin() + first;
        if (std::is_sorted(columns, m.column.begin() + end)) continue;
        if (m.place.empty()) {
            m.place.resize(m.column.size());
            std::iota(m.place.begin(), m.place.end(), whole{0});
        }
        order.resize(position(end - first));
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return columns[static_cast<whole>(a)] < columns[static_cast<whole>(b)];
        });
        reorder(m.column, position(first));
        reorder(m.place, position(first));
        if (!m.value.empty()) reorder(m.value, position(first));
    }
}

cusparseSpMatDescr csr_of(whole rows, whole columns, whole nnz, const int* offsets,
                          const int* indices, const void* values, cudaDataType type,
                          cusparseIndexBase_t base) {
    cusparseSpMatDescr m{};
    m.format = CUSPARSE_FORMAT_CSR;
    m.rows = rows;
    m.columns = columns;
    m.nnz = nnz;
    m.offsets = const_cast<int*>(offsets);
    m.indices = const_cast<int*>(indices);
    m.values = const_cast<void*>(values);
    m.offset_type = m.index_type = CUSPARSE_INDEX_32I;
    m.base = base;
    m.type = type;
    return m;
}

#define CUSET_HOST_NUMBERS(S)                                                              \
    template sparse_rows<S> read_sparse<S>(const running_call&, const cusparseSpMatDescr&, \
                                           cusparseOperation_t, whole, bool);              \
    template void sort_rows<S>(sparse_rows<S>&);
CUSET_HOST_NUMBERS(double)
CUSET_HOST_NUMBERS(complex_number)
#undef CUSET_HOST_NUMBERS

}  // namespace cuset_host::sparse

#endif
