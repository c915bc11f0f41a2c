// cuSPARSE's solutions with triangular matrices, of one right side or several.
#include "cuset_host/cuda_types.h"
#include "handle.h"

#if CUSPARSE_VERSION >= 12500

using namespace cuset_host;
using namespace cuset_host::sparse;

namespace {

/// What an analysis keeps: the matrix, and values that the program has put in place of its own.
struct analysis {
    cusparseSpMatDescr matrix{};
    bool is_done = false, has_values = false, has_diagonal = false;
    std::vector<double> real;  // of the storage, or of the diagonal
    std::vector<complex_number> complex;

    /// Whether this is the matrix that was analysed, as far as its shape tells.
    bool is_of(const cusparseSpMatDescr& a) const {
        return is_done && a.format == matrix.format && a.type == matrix.type &&
               a.rows == matrix.rows && a.nnz == matrix.nnz && a.stored == matrix.stored;
    }

    template <class S>
    const std::vector<S>& values() const {
        if constexpr (std::is_same_v<S, double>) {
            return real;
        } else {
            return complex;
        }
    }
};

}  // namespace

struct cusparseSpSVDescr : analysis {};
struct cusparseSpSMDescr : analysis {};

namespace {

bool can_solve(const cusparseSpMatDescr& a, cudaDataType type, cudaDataType result,
               cudaDataType computes) {
    const bool is_number = computes == CUDA_R_32F || computes == CUDA_R_64F || is_complex(computes);
    return is_number && a.type == computes && type == computes && result == computes &&
           (a.format == CUSPARSE_FORMAT_CSR || a.format == CUSPARSE_FORMAT_CSC ||
            a.format == CUSPARSE_FORMAT_COO || a.format == CUSPARSE_FORMAT_SLICED_ELLPACK);
}

/// X = op(A)^-1 X, with op(A) by rows; `is_lower` says which triangle op(A) has.
template <class S>
void solve(const sparse_rows<S>& a, bool is_lower, bool has_unit, dense_rows<S>& x) {
    for (whole step = 0; step < a.rows; ++step) {
        const whole i = is_lower ? step : a.rows - 1 - step;
        S diagonal = 0;
        for (whole k = a.offsets[position(i)]; k < a.offsets[position(i + 1)]; ++k) {
            const whole j = a.column[position(k)];
            const S factor = a.value[position(k)];
            if (j == i) diagonal += factor;
            if (is_lower ? j >= i : j <= i) continue;
            for (whole r = 0; r < x.columns; ++r) x.at(i, r) -= factor * x.at(j, r);
        }
        if (has_unit) continue;
        for (whole r = 0; r < x.columns; ++r) x.at(i, r) /= diagonal;
    }
}

/// The matrix of a solution, with the values that stand in place of its own.
template <class S>
sparse_rows<S> read_triangle(const running_call& call, const cusparseSpMatDescr& matrix,
                             cusparseOperation_t op, const analysis& known) {
    auto a = read_sparse<S>(call, matrix, op);
    const auto& values = known.values<S>();
    const bool conjugates = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    for (whole i = 0; i < a.rows; ++i)
        for (whole k = a.offsets[position(i)]; k < a.offsets[position(i + 1)]; ++k) {
            S x;
            if (known.has_values) {
                x = values[position(a.place_of(k))];
            } else if (known.has_diagonal && a.column[position(k)] == i) {
                x = values[position(i)];
            } else {
                continue;
            }
            a.value[position(k)] = conjugates ? conjugate(x) : x;
        }
    return a;
}

template <class S>
void solve_all(const running_call& call, const cusparseSpMatDescr& matrix, cusparseOperation_t op,
               const analysis& known, S alpha, dense_rows<S>& x) {
    const auto a = read_triangle<S>(call, matrix, op, known);
    for (S& each : x.value) each *= alpha;
    const bool is_lower = matrix.fill == CUSPARSE_FILL_MODE_LOWER;
    solve(a, is_lower == (op == as_it_is), matrix.diagonal == CUSPARSE_DIAG_TYPE_UNIT, x);
}

/// Takes new values for a matrix that was analysed: all of them, or those of the diagonal.
cusparseStatus_t update(const char* name, cusparseHandle_t handle, analysis* known,
                        const void* values, bool diagonal_only) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (known == nullptr || values == nullptr || !known->is_done)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (diagonal_only && known->has_values) unmodelled("new values of a diagonal after new values");
    return run(name, handle, nullptr, [&](const running_call& call) {
        const auto& m = known->matrix;
        const whole count = diagonal_only                                ? m.rows
                            : m.format == CUSPARSE_FORMAT_SLICED_ELLPACK ? m.stored
                                                                         : m.nnz;
        if (is_complex(m.type)) {
            known->complex = read_values<complex_number>(call, values, m.type, count);
        } else {
            known->real = read_values<double>(call, values, m.type, count);
        }
        known->has_values = !diagonal_only;
        known->has_diagonal = diagonal_only;
    });
}

cusparseStatus_t check_vector(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                              cusparseConstDnVecDescr_t y, cudaDataType computes,
                              const analysis* known) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (alpha == nullptr || a == nullptr || x == nullptr || y == nullptr || known == nullptr ||
        !is_operation(op))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (a->rows != a->columns || x->size != a->rows || y->size != a->rows)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return can_solve(*a, x->type, y->type, computes) ? CUSPARSE_STATUS_SUCCESS
                                                     : CUSPARSE_STATUS_NOT_SUPPORTED;
}

cusparseStatus_t check_matrix(cusparseHandle_t handle, cusparseOperation_t op_a,
                              cusparseOperation_t op_b, const void* alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                              cusparseConstDnMatDescr_t c, cudaDataType computes,
                              const analysis* known) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (alpha == nullptr || a == nullptr || b == nullptr || c == nullptr || known == nullptr ||
        !is_operation(op_a) || !is_operation(op_b))
        return CUSPARSE_STATUS_INVALID_VALUE;
    const bool turned = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
    if (a->rows != a->columns || c->rows != a->rows || (turned ? b->columns : b->rows) != a->rows ||
        c->columns != (turned ? b->rows : b->columns))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ||
        a->format == CUSPARSE_FORMAT_SLICED_ELLPACK || b->batches != 1 || c->batches != 1 ||
        a->batches != 1)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return can_solve(*a, b->type, c->type, computes) ? CUSPARSE_STATUS_SUCCESS
                                                     : CUSPARSE_STATUS_NOT_SUPPORTED;
}

/// Notes the matrix, whose entries must be in place.
cusparseStatus_t analyse(const char* name, cusparseHandle_t handle, const cusparseSpMatDescr& a,
                         analysis& known, const void* buffer) {
    return run(name, handle, buffer, [&](const running_call& call) {
        read_sparse<double>(call, a, as_it_is, 0, false);
        known = analysis();
        known.matrix = a;
        known.is_done = true;
    });
}

}  // namespace

extern "C" {

#define CUSET_HOST_ANALYSIS(SpSV, SPSV)                                                         \
    cusparseStatus_t cusparse##SpSV##_createDescr(cusparse##SpSV##Descr_t* made) {              \
        return create<cusparseStatus_t>(made);                                                  \
    }                                                                                           \
    cusparseStatus_t cusparse##SpSV##_destroyDescr(cusparse##SpSV##Descr_t descriptor) {        \
        return destroy_descriptor(descriptor);                                                  \
    }                                                                                           \
    cusparseStatus_t cusparse##SpSV##_updateMatrix(cusparseHandle_t handle,                     \
                                                   cusparse##SpSV##Descr_t known, void* values, \
                                                   cusparse##SpSV##Update_t part) {             \
        return update("cusparse" #SpSV "_updateMatrix", handle, known, values,                  \
                      part == CUSPARSE_##SPSV##_UPDATE_DIAGONAL);                               \
    }
CUSET_HOST_ANALYSIS(SpSV, SPSV)
CUSET_HOST_ANALYSIS(SpSM, SPSM)
#undef CUSET_HOST_ANALYSIS

// What the calls that solve for a vector, and for a matrix, are given first.
#define CUSET_HOST_VECTOR                                                                 \
    cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,                   \
        cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, \
        cudaDataType computes, cusparseSpSVAlg_t, cusparseSpSVDescr_t known
#define CUSET_HOST_MATRIX                                                            \
    cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,     \
        const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, \
        cusparseDnMatDescr_t c, cudaDataType computes, cusparseSpSMAlg_t,            \
        cusparseSpSMDescr_t known

cusparseStatus_t cusparseSpSV_bufferSize(CUSET_HOST_VECTOR, size_t* bytes) {
    return give_buffer_size(check_vector(handle, op, alpha, a, x, y, computes, known), bytes);
}
cusparseStatus_t cusparseSpSV_analysis(CUSET_HOST_VECTOR, void* buffer) {
    const auto status = check_vector(handle, op, alpha, a, x, y, computes, known);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    return analyse("cusparseSpSV_analysis", handle, *a, *known, buffer);
}
cusparseStatus_t cusparseSpSV_solve(CUSET_HOST_VECTOR) {
    const auto status = check_vector(handle, op, alpha, a, x, y, computes, known);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    if (!known->is_of(*a)) return CUSPARSE_STATUS_INVALID_VALUE;
    return run("cusparseSpSV_solve", handle, nullptr, computes, [&](const auto& call, auto number) {
        using S = decltype(number);
        dense_rows<S> found{a->rows, 1, read_vector<S>(call, *x)};
        solve_all<S>(call, *a, op, *known, read_scalar<S>(call, alpha, computes), found);
        write_values(call, y->values, y->type, found.value);
    });
}
cusparseStatus_t cusparseSpSM_bufferSize(CUSET_HOST_MATRIX, size_t* bytes) {
    return give_buffer_size(check_matrix(handle, op_a, op_b, alpha, a, b, c, computes, known),
                            bytes);
}
cusparseStatus_t cusparseSpSM_analysis(CUSET_HOST_MATRIX, void* buffer) {
    const auto status = check_matrix(handle, op_a, op_b, alpha, a, b, c, computes, known);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    return analyse("cusparseSpSM_analysis", handle, *a, *known, buffer);
}
cusparseStatus_t cusparseSpSM_solve(CUSET_HOST_MATRIX) {
    const auto status = check_matrix(handle, op_a, op_b, alpha, a, b, c, computes, known);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    if (!known->is_of(*a)) return CUSPARSE_STATUS_INVALID_VALUE;
    return run("cusparseSpSM_solve", handle, nullptr, computes, [&](const auto& call, auto number) {
        using S = decltype(number);
        auto x = read_dense<S>(call, *b, op_b);
        solve_all<S>(call, *a, op_a, *known, read_scalar<S>(call, alpha, computes), x);
        write_dense(call, *c, x);
    });
}
#undef CUSET_HOST_VECTOR
#undef CUSET_HOST_MATRIX

}  // extern "C"

#endif
