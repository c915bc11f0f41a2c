// What the parts of cuSPARSE share: its handle and descriptors, and the reading and writing of
// arrays of all types. Every call works on numbers in double: it reads what it needs into vectors,
// and writes the results. Read after the toolkit's headers.
#pragma once

#include <cusparse.h>

#include <complex>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "libraries/handles.h"
#include "libraries/library_access.h"

struct cusparseContext {
    cudaStream_t stream = nullptr;
    cusparsePointerMode_t pointers = CUSPARSE_POINTER_MODE_HOST;
};

struct cusparseMatDescr {
    cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
    cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
};

struct cusparseSpVecDescr {
    std::int64_t size, nnz;
    void *indices, *values;
    cusparseIndexType_t index_type;
    cusparseIndexBase_t base;
    cudaDataType type;
};

struct cusparseDnVecDescr {
    std::int64_t size;
    void* values;
    cudaDataType type;
};

struct cusparseDnMatDescr {
    std::int64_t rows, columns, step;  // from a row, or a column, to the next
    void* values;
    cudaDataType type;
    cusparseOrder_t order;
    int batches = 1;
    std::int64_t stride = 0;
};

/// `offsets` are those of rows (CSR, BSR), columns (CSC) or slices; for COO, the indices of rows.
/// `indices` are those of columns, or of rows for CSC.
struct cusparseSpMatDescr {
    cusparseFormat_t format;
    std::int64_t rows, columns, nnz;
    void *offsets, *indices, *values;
    cusparseIndexType_t offset_type, index_type;
    cusparseIndexBase_t base;
    cudaDataType type;
    std::int64_t block_rows = 1, block_columns = 1;  // of a block; block_rows of a slice
    cusparseOrder_t block_order = CUSPARSE_ORDER_ROW;
    std::int64_t stored = 0;  // columns that Blocked-ELL stores, values that Sliced-ELL stores
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
    int batches = 1;
    std::int64_t offset_stride = 0, index_stride = 0, value_stride = 0;
};

namespace cuset_host {

template <>
struct codes<cusparseStatus_t> {
    static constexpr auto no_handle = CUSPARSE_STATUS_NOT_INITIALIZED;
    static constexpr auto bad_value = CUSPARSE_STATUS_INVALID_VALUE;
};

}  // namespace cuset_host

namespace cuset_host::sparse {

using whole = std::int64_t;
using complex_number = std::complex<double>;

constexpr auto as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;

/// The size that each call asks for its buffer.
constexpr std::size_t buffer_bytes = 1024;

inline std::size_t position(whole i) { return static_cast<std::size_t>(i); }

inline bool is_complex(cudaDataType type) { return type == CUDA_C_32F || type == CUDA_C_64F; }

/// Whether cuSPARSE has values of this type.
bool is_value_type(cudaDataType type);
std::size_t bytes_of(cudaDataType type);
inline bool is_index_type(cusparseIndexType_t type) {
    return type == CUSPARSE_INDEX_32I || type == CUSPARSE_INDEX_64I;
}
inline bool is_base(cusparseIndexBase_t base) {
    return base == CUSPARSE_INDEX_BASE_ZERO || base == CUSPARSE_INDEX_BASE_ONE;
}
inline bool is_operation(cusparseOperation_t op) { return op >= 0 && op <= 2; }
inline bool is_order(cusparseOrder_t o) {
    return o == CUSPARSE_ORDER_COL || o == CUSPARSE_ORDER_ROW;
}

inline double conjugate(double x) { return x; }
inline complex_number conjugate(complex_number x) { return std::conj(x); }

/// A call that runs, as a kernel does: its name for what it finds, and the handle.
struct running_call {
    running_call(const char* name, cusparseHandle_t handle)
        : name(name),
          device_scalars(handle->pointers == CUSPARSE_POINTER_MODE_DEVICE),
          kernel(handle->stream, library_writes::reported) {}

    const char* name;
    bool device_scalars;
    library_kernel kernel;
};

/// Ends the program: a matrix is not one. `what` says why, as "the first offset is 5, not 0".
[[noreturn]] void fail_matrix(const running_call& call, const std::string& what);

/// The buffer that the program gives. It may be null: cuSPARSE asks for none in some cases.
void check_buffer(const running_call& call, const void* buffer);

/// Does body(call) as a kernel does its work. Sizes that no memory can hold, which come from the
/// program, give CUSPARSE_STATUS_ALLOC_FAILED.
template <class Body>
cusparseStatus_t run(const char* name, cusparseHandle_t handle, const void* buffer,
                     const Body& body) {
    try {
        const running_call call(name, handle);
        check_buffer(call, buffer);
        body(call);
        return CUSPARSE_STATUS_SUCCESS;
    } catch (const std::bad_alloc&) {
        return CUSPARSE_STATUS_ALLOC_FAILED;
    } catch (const std::length_error&) {
        return CUSPARSE_STATUS_ALLOC_FAILED;
    }
}

/// The same with body(call, S()), where S is the type of numbers that the call works with.
template <class Body>
cusparseStatus_t run(const char* name, cusparseHandle_t handle, const void* buffer,
                     cudaDataType type, const Body& body) {
    return run(name, handle, buffer, [&](const running_call& call) {
        if (is_complex(type)) {
            body(call, complex_number());
        } else {
            body(call, double());
        }
    });
}

/// The status of a call that is given this handle, and other arguments that `are_good` or not.
inline cusparseStatus_t check_call(cusparseHandle_t handle, bool are_good) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    return are_good ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

/// The answer to a question for the size of a buffer, after arguments that have `status`.
template <class Bytes>
cusparseStatus_t give_buffer_size(cusparseStatus_t status, Bytes* bytes) {
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    return give<cusparseStatus_t>(bytes, buffer_bytes);
}

/// What descriptors do alike. Null descriptors are bad values.
template <class Descriptor>
cusparseStatus_t destroy_descriptor(const Descriptor* descriptor) {
    return destroy(descriptor, CUSPARSE_STATUS_INVALID_VALUE);
}
template <class Descriptor, class Member, class T>
cusparseStatus_t get_member(const Descriptor* descriptor, Member Descriptor::*member, T* to) {
    if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    return give<cusparseStatus_t>(to, descriptor->*member);
}
template <class Descriptor, class T>
cusparseStatus_t set_member(Descriptor* descriptor, T Descriptor::*member, T value,
                            bool is_good = true) {
    if (descriptor == nullptr || !is_good) return CUSPARSE_STATUS_INVALID_VALUE;
    descriptor->*member = value;
    return CUSPARSE_STATUS_SUCCESS;
}
/// Of several members programs may leave out what they do not want.
template <class T, class V>
void give_if_wanted(T* to, V value) {
    if (to != nullptr) *to = value;
}

std::vector<whole> read_indices(const running_call& call, const void* p, cusparseIndexType_t type,
                                whole count);
void write_indices(const running_call& call, void* p, cusparseIndexType_t type,
                   const std::vector<whole>& indices);

/// Indices from 0 on, below `limit`: "column 7 of 5" ends the program, where `what` is "column".
/// -1 stands for none if it `may_be_none`.
std::vector<whole> read_places(const running_call& call, const void* p, cusparseIndexType_t type,
                               cusparseIndexBase_t base, whole count, whole limit, const char* what,
                               bool may_be_none = false);

/// Indices from 0 on, as the program counts them.
inline std::vector<whole> from_base(std::vector<whole> indices, cusparseIndexBase_t base) {
    for (whole& each : indices) each += base;
    return indices;
}

/// Which of `size` elements are among `places`.
std::vector<char> used_of(const std::vector<whole>& places, whole size);

/// `count` values at `p`, `first` values on. They are read as they are, and must only be there if
/// `how` is touch::reach.
template <class S>
std::vector<S> read_values(const running_call& call, const void* p, cudaDataType type, whole count,
                           whole first = 0, touch how = touch::read);
template <class S>
void write_values(const running_call& call, void* p, cudaDataType type,
                  const std::vector<S>& values, whole first = 0);

/// alpha and beta, where the handle's mode says that they are.
template <class S>
S read_scalar(const running_call& call, const void* p, cudaDataType type);
template <class S>
void write_scalar(const running_call& call, void* p, cudaDataType type, S value);
/// A count, which the older calls give where the handle's mode says.
void write_count(const running_call& call, int* p, whole count);

/// A matrix by rows. Entries of a row are in the order of the storage.
template <class S>
struct sparse_rows {
    whole rows = 0, columns = 0;
    std::vector<whole> offsets;  // rows + 1
    std::vector<whole> column;
    std::vector<whole> place;  // of an entry's value in the storage; none if they are in order
    std::vector<S> value;      // none if it was read without values

    whole count() const { return offsets.back(); }
    whole place_of(whole k) const { return place.empty() ? k : place[position(k)]; }
};

/// op(A) of batch `batch`.
template <class S>
sparse_rows<S> read_sparse(const running_call& call, const cusparseSpMatDescr& matrix,
                           cusparseOperation_t op, whole batch = 0, bool with_values = true);

/// The offsets of a matrix of `lines` rows, columns or slices, from 0 on. They begin with 0, never
/// fall, and count no more than the descriptor says that there is.
std::vector<whole> read_offsets(const running_call& call, const cusparseSpMatDescr& matrix,
                                whole lines, whole batch = 0);

/// Puts the entries of each row in the order of their columns.
template <class S>
void sort_rows(sparse_rows<S>& matrix);

/// Dense numbers by rows.
template <class S>
struct dense_rows {
    whole rows = 0, columns = 0;
    std::vector<S> value;

    S& at(whole i, whole j) { return value[position(i * columns + j)]; }
    const S& at(whole i, whole j) const { return value[position(i * columns + j)]; }
};

/// op(B) of batch `batch`. With --check the rows of op(B) that `used` marks must have values; all
/// of them without it.
template <class S>
dense_rows<S> read_dense(const running_call& call, const cusparseDnMatDescr& matrix,
                         cusparseOperation_t op, whole batch = 0,
                         const std::vector<char>* used = nullptr);
template <class S>
void write_dense(const running_call& call, const cusparseDnMatDescr& matrix,
                 const dense_rows<S>& numbers, whole batch = 0);

/// A vector of which `used` marks what must have a value.
template <class S>
std::vector<S> read_vector(const running_call& call, const cusparseDnVecDescr& vector,
                           const std::vector<char>* used = nullptr);

/// Whether cuSPARSE multiplies values of the types `a` and `b` into `c` with sums of type
/// `computes`.
bool can_multiply(cudaDataType a, cudaDataType b, cudaDataType c, cudaDataType computes);

/// A matrix of the older calls, which is in CSR.
cusparseSpMatDescr csr_of(whole rows, whole columns, whole nnz, const int* offsets,
                          const int* indices, const void* values, cudaDataType type,
                          cusparseIndexBase_t base);

/// cusparseSpMV, and cusparseSpMM, for the call `name`.
cusparseStatus_t multiply_by_vector(const char* name, cusparseHandle_t handle,
                                    cusparseOperation_t op, const void* alpha,
                                    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                    const void* beta, cusparseDnVecDescr_t y, cudaDataType computes,
                                    const void* buffer);
cusparseStatus_t multiply_by_dense(const char* name, cusparseHandle_t handle,
                                   cusparseOperation_t op_a, cusparseOperation_t op_b,
                                   const void* alpha, cusparseConstSpMatDescr_t a,
                                   cusparseConstDnMatDescr_t b, const void* beta,
                                   cusparseDnMatDescr_t c, cudaDataType computes,
                                   const void* buffer);

}  // namespace cuset_host::sparse
