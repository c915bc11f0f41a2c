// cuSPARSE's incomplete factorisations with the entries of the matrix: LU, and Cholesky.
#include <cmath>

#include "cuset_host/cuda_types.h"
#include "handle.h"

#if CUSPARSE_VERSION >= 12500

using namespace cuset_host;
using namespace cuset_host::sparse;

namespace {

/// What the steps of a factorisation leave behind.
struct factor_info {
    whole zero = -1;  // the first pivot that is zero or missing, from the matrix's base on
    bool is_analysed = false, boosts = false;
    double tolerance = 0;
    complex_number boost = 0;
};

}  // namespace

struct csrilu02Info : factor_info {};
struct csric02Info : factor_info {};

namespace {

/// A square matrix in the order of columns, and where each row's diagonal is; -1 where it has none.
template <class S>
struct square {
    sparse_rows<S> rows;
    std::vector<whole> diagonal;

    /// The entry at (i, j); null if there is none.
    S* find(whole i, whole j) {
        for (whole k = rows.offsets[position(i)]; k < rows.offsets[position(i + 1)]; ++k)
            if (rows.column[position(k)] == j) return &rows.value[position(k)];
        return nullptr;
    }
};

template <class S>
square<S> read_square(const running_call& call, const cusparseSpMatDescr& matrix,
                      bool with_values) {
    square<S> a{read_sparse<S>(call, matrix, as_it_is, 0, with_values), {}};
    sort_rows(a.rows);
    a.diagonal.assign(position(a.rows.rows), -1);
    for (whole i = 0; i < a.rows.rows; ++i)
        for (whole k = a.rows.offsets[position(i)]; k < a.rows.offsets[position(i + 1)]; ++k)
            if (a.rows.column[position(k)] == i) a.diagonal[position(i)] = k;
    return a;
}

void note_zero(factor_info& info, whole at) {
    if (info.zero < 0) info.zero = at;
}

/// L and U in place of A, where L's diagonal is of ones.
template <class S>
void factor_lu(square<S>& a, factor_info& info, whole base) {
    auto& m = a.rows;
    std::vector<S*> at(position(m.columns));  // the entries of row i
    for (whole i = 0; i < m.rows; ++i) {
        const whole first = m.offsets[position(i)], end = m.offsets[position(i + 1)];
        for (whole k = first; k < end; ++k)
            at[position(m.column[position(k)])] = &m.value[position(k)];
        for (whole k = first; k < end && m.column[position(k)] < i; ++k) {
            const whole j = m.column[position(k)], pivot = a.diagonal[position(j)];
            if (pivot < 0) continue;
            const S factor = m.value[position(k)] /= m.value[position(pivot)];
            for (whole l = pivot + 1; l < m.offsets[position(j + 1)]; ++l)
                if (S* to = at[position(m.column[position(l)])])
                    *to -= factor * m.value[position(l)];
        }
        for (whole k = first; k < end; ++k) at[position(m.column[position(k)])] = nullptr;
        if (a.diagonal[position(i)] < 0) {
            note_zero(info, i + base);
            continue;
        }
        S& pivot = m.value[position(a.diagonal[position(i)])];
        if (info.boosts && std::abs(pivot) <= info.tolerance) {
            if constexpr (std::is_same_v<S, double>) {
                pivot = info.boost.real();
            } else {
                pivot = info.boost;
            }
        }
        if (pivot == S(0)) note_zero(info, i + base);
    }
}

/// L in place of the lower triangle of A; the rest stays as it is.
template <class S>
void factor_cholesky(square<S>& a, factor_info& info, whole base) {
    auto& m = a.rows;
    for (whole i = 0; i < m.rows; ++i) {
        const whole first = m.offsets[position(i)], end = m.offsets[position(i + 1)];
        if (a.diagonal[position(i)] < 0) note_zero(info, i + base);
        for (whole k = first; k < end && m.column[position(k)] <= i; ++k) {
            const whole j = m.column[position(k)];
            S sum = m.value[position(k)];
            for (whole l = first; l < k; ++l)
                if (const S* other = a.find(j, m.column[position(l)]))
                    sum -= m.value[position(l)] * conjugate(*other);
            if (j == i) {
                if (!(std::real(sum) > 0)) note_zero(info, i + base);
                sum = S(std::sqrt(std::real(sum)));
            } else if (a.diagonal[position(j)] >= 0) {
                sum /= m.value[position(a.diagonal[position(j)])];
            }
            m.value[position(k)] = sum;
        }
    }
}

/// A factorisation's matrix and what belongs to it.
struct request {
    int m, nnz;
    cusparseMatDescr_t descriptor;
    const void* values;
    const int *offsets, *columns;
    cudaDataType type;

    cusparseSpMatDescr matrix() const {
        return csr_of(m, m, nnz, offsets, columns, values, type, descriptor->base);
    }
};

cusparseStatus_t check(cusparseHandle_t handle, const request& wanted, const factor_info* info) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (wanted.m < 0 || wanted.nnz < 0 || wanted.descriptor == nullptr || info == nullptr)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return wanted.descriptor->type == CUSPARSE_MATRIX_TYPE_GENERAL
               ? CUSPARSE_STATUS_SUCCESS
               : CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
}

cusparseStatus_t analyse(const char* name, cusparseHandle_t handle, const request& wanted,
                         factor_info* info, const void* buffer) {
    const auto status = check(handle, wanted, info);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    return run(name, handle, buffer, [&](const running_call& call) {
        const auto a = read_square<double>(call, wanted.matrix(), false);
        info->zero = -1;
        for (whole i = 0; i < wanted.m; ++i)
            if (a.diagonal[position(i)] < 0) note_zero(*info, i + wanted.descriptor->base);
        info->is_analysed = true;
    });
}

template <class S>
cusparseStatus_t factor(const char* name, cusparseHandle_t handle, const request& wanted,
                        factor_info* info, const void* buffer, bool symmetric) {
    const auto status = check(handle, wanted, info);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    if (!info->is_analysed) return CUSPARSE_STATUS_INVALID_VALUE;
    return run(name, handle, buffer, [&](const running_call& call) {
        auto a = read_square<S>(call, wanted.matrix(), true);
        info->zero = -1;
        if (symmetric) {
            factor_cholesky(a, *info, wanted.descriptor->base);
        } else {
            factor_lu(a, *info, wanted.descriptor->base);
        }
        std::vector<S> values(a.rows.value.size());
        for (std::size_t k = 0; k < values.size(); ++k)
            values[position(a.rows.place_of(static_cast<whole>(k)))] = a.rows.value[k];
        write_values(call, const_cast<void*>(wanted.values), wanted.type, values);
    });
}

cusparseStatus_t tell_zero(const char* name, cusparseHandle_t handle, const factor_info* info,
                           int* to) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (info == nullptr || to == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    const auto status = run(name, handle, nullptr,
                            [&](const running_call& call) { write_count(call, to, info->zero); });
    return info->zero < 0 ? status : CUSPARSE_STATUS_ZERO_PIVOT;
}

cusparseStatus_t set_boost(const char* name, cusparseHandle_t handle, factor_info* info, int enable,
                           const double* tolerance, const void* boost, cudaDataType type) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (info == nullptr || (enable != 0 && (tolerance == nullptr || boost == nullptr)))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return run(name, handle, nullptr, [&](const running_call& call) {
        info->boosts = enable != 0;
        if (!info->boosts) return;
        info->tolerance = read_scalar<double>(call, tolerance, CUDA_R_64F);
        info->boost = read_scalar<complex_number>(call, boost, type);
    });
}

}  // namespace

extern "C" {

#define CUSET_HOST_INFO(Csrilu02, csrilu02)                                            \
    cusparseStatus_t cusparseCreate##Csrilu02##Info(csrilu02##Info_t* made) {          \
        return create<cusparseStatus_t>(made);                                         \
    }                                                                                  \
    cusparseStatus_t cusparseDestroy##Csrilu02##Info(csrilu02##Info_t info) {          \
        return destroy(info, CUSPARSE_STATUS_SUCCESS);                                 \
    }                                                                                  \
    cusparseStatus_t cusparseX##csrilu02##_zeroPivot(cusparseHandle_t handle,          \
                                                     csrilu02##Info_t info, int* to) { \
        return tell_zero("cusparseX" #csrilu02 "_zeroPivot", handle, info, to);        \
    }
CUSET_HOST_INFO(Csrilu02, csrilu02)
CUSET_HOST_INFO(Csric02, csric02)
#undef CUSET_HOST_INFO

#define CUSET_HOST_FACTORS(letter, T, S, type, kind, Info, symmetric)                              \
    cusparseStatus_t cusparse##letter##kind##_bufferSize(                                          \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descriptor, T* values,   \
        const int* offsets, const int* columns, Info info, int* bytes) {                           \
        return give_buffer_size(                                                                   \
            check(handle, {m, nnz, descriptor, values, offsets, columns, type}, info), bytes);     \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##kind##_bufferSizeExt(                                       \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descriptor, T* values,   \
        const int* offsets, const int* columns, Info info, size_t* bytes) {                        \
        return give_buffer_size(                                                                   \
            check(handle, {m, nnz, descriptor, values, offsets, columns, type}, info), bytes);     \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##kind##_analysis(                                            \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descriptor,              \
        const T* values, const int* offsets, const int* columns, Info info, cusparseSolvePolicy_t, \
        void* buffer) {                                                                            \
        return analyse("cusparse" #letter #kind "_analysis", handle,                               \
                       {m, nnz, descriptor, values, offsets, columns, type}, info, buffer);        \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##kind(                                                       \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descriptor, T* values,   \
        const int* offsets, const int* columns, Info info, cusparseSolvePolicy_t, void* buffer) {  \
        return factor<S>("cusparse" #letter #kind, handle,                                         \
                         {m, nnz, descriptor, values, offsets, columns, type}, info, buffer,       \
                         symmetric);                                                               \
    }
#define CUSET_HOST_SPARSE(letter, T, S, type)                                                    \
    CUSET_HOST_FACTORS(letter, T, S, type, csrilu02, csrilu02Info_t, false)                      \
    CUSET_HOST_FACTORS(letter, T, S, type, csric02, csric02Info_t, true)                         \
    cusparseStatus_t cusparse##letter##csrilu02_numericBoost(                                    \
        cusparseHandle_t handle, csrilu02Info_t info, int enable, double* tolerance, T* boost) { \
        return set_boost("cusparse" #letter "csrilu02_numericBoost", handle, info, enable,       \
                         tolerance, boost, type);                                                \
    }
CUSET_HOST_SPARSE(S, float, double, CUDA_R_32F)
CUSET_HOST_SPARSE(D, double, double, CUDA_R_64F)
CUSET_HOST_SPARSE(C, cuComplex, complex_number, CUDA_C_32F)
CUSET_HOST_SPARSE(Z, cuDoubleComplex, complex_number, CUDA_C_64F)
#undef CUSET_HOST_SPARSE
#undef CUSET_HOST_FACTORS

}  // extern "C"

#endif
