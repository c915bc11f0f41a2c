// cuSPARSE's operations on sparse vectors.
#include "cuset_host/cuda_types.h"
#include "handle.h"

#if CUSPARSE_VERSION >= 12500

using namespace cuset_host;
using namespace cuset_host::sparse;

namespace {

/// The places of a sparse vector's elements, from 0 on.
std::vector<whole> read_places(const running_call& call, const cusparseSpVecDescr& x) {
    return sparse::read_places(call, x.indices, x.index_type, x.base, x.nnz, x.size, "element");
}

cusparseStatus_t check(cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
                       cusparseConstDnVecDescr_t y) {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (x == nullptr || y == nullptr || x->size != y->size) return CUSPARSE_STATUS_INVALID_VALUE;
    return x->type == y->type ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}

/// The type of alpha and beta for values of a type.
cudaDataType scalar_type(cudaDataType type) {
    return type == CUDA_R_16F || type == CUDA_R_16BF ? CUDA_R_32F : type;
}

/// Writes single elements of a dense vector.
template <class S>
void write_elements(const running_call& call, const cusparseDnVecDescr& y,
                    const std::vector<whole>& places, const std::vector<S>& values) {
    for (std::size_t k = 0; k < places.size(); ++k)
        write_values(call, y.values, y.type, std::vector<S>(1, values[k]), places[k]);
}

cusparseStatus_t check_dot(cusparseHandle_t handle, cusparseOperation_t op,
                           cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                           const void* result, cudaDataType computes) {
    const auto status = check(handle, x, y);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    if (result == nullptr || !is_operation(op)) return CUSPARSE_STATUS_INVALID_VALUE;
    const bool is_good =
        op != CUSPARSE_OPERATION_TRANSPOSE && can_multiply(x->type, y->type, computes, computes);
    return is_good ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}

}  // namespace

extern "C" {

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void* alpha,
                               cusparseConstSpVecDescr_t x, const void* beta,
                               cusparseDnVecDescr_t y) {
    const auto status = check(handle, x, y);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    if (alpha == nullptr || beta == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    if (x->type == CUDA_R_8I || x->type == CUDA_R_32I) return CUSPARSE_STATUS_NOT_SUPPORTED;
    return run("cusparseAxpby", handle, nullptr, x->type, [&](const auto& call, auto number) {
        using S = decltype(number);
        const cudaDataType type = scalar_type(x->type);
        const S a = read_scalar<S>(call, alpha, type), b = read_scalar<S>(call, beta, type);
        const auto places = read_places(call, *x);
        const auto values = read_values<S>(call, x->values, x->type, x->nnz);
        std::vector<S> sum(position(y->size));
        if (b != S(0)) sum = read_vector<S>(call, *y);
        for (S& each : sum) each *= b;
        for (std::size_t k = 0; k < places.size(); ++k) sum[position(places[k])] += a * values[k];
        write_values(call, y->values, y->type, sum);
    });
}

cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y,
                                cusparseSpVecDescr_t x) {
    const auto status = check(handle, x, y);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    return run("cusparseGather", handle, nullptr, x->type, [&](const auto& call, auto number) {
        using S = decltype(number);
        const auto places = read_places(call, *x);
        const auto used = used_of(places, y->size);
        const auto all = read_vector<S>(call, *y, &used);
        std::vector<S> taken;
        for (const whole each : places) taken.push_back(all[position(each)]);
        write_values(call, x->values, x->type, taken);
    });
}

cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
                                 cusparseDnVecDescr_t y) {
    const auto status = check(handle, x, y);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    return run("cusparseScatter", handle, nullptr, x->type, [&](const auto& call, auto number) {
        using S = decltype(number);
        const auto places = read_places(call, *x);
        write_elements(call, *y, places, read_values<S>(call, x->values, x->type, x->nnz));
    });
}

cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void* c_at, const void* s_at,
                             cusparseSpVecDescr_t x, cusparseDnVecDescr_t y) {
    const auto status = check(handle, x, y);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    if (c_at == nullptr || s_at == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    if (x->type == CUDA_R_8I || x->type == CUDA_R_32I) return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (is_complex(x->type)) unmodelled("cusparseRot of complex numbers");
    return run("cusparseRot", handle, nullptr, [&](const running_call& call) {
        const cudaDataType type = scalar_type(x->type);
        const double c = read_scalar<double>(call, c_at, type),
                     s = read_scalar<double>(call, s_at, type);
        const auto places = read_places(call, *x);
        const auto used = used_of(places, y->size);
        auto a = read_values<double>(call, x->values, x->type, x->nnz);
        const auto all = read_vector<double>(call, *y, &used);
        std::vector<double> b;
        for (std::size_t k = 0; k < places.size(); ++k) {
            const double from_x = a[k], from_y = all[position(places[k])];
            a[k] = c * from_x + s * from_y;
            b.push_back(c * from_y - s * from_x);
        }
        write_values(call, x->values, x->type, a);
        write_elements(call, *y, places, b);
    });
}

cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op,
                                         cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                                         const void* result, cudaDataType computes, size_t* bytes) {
    return give_buffer_size(check_dot(handle, op, x, y, result, computes), bytes);
}
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t op,
                              cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                              void* result, cudaDataType computes, void* buffer) {
    const auto status = check_dot(handle, op, x, y, result, computes);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    return run("cusparseSpVV", handle, buffer, computes, [&](const auto& call, auto number) {
        using S = decltype(number);
        const auto places = read_places(call, *x);
        const auto used = used_of(places, y->size);
        const auto a = read_values<S>(call, x->values, x->type, x->nnz);
        const auto b = read_vector<S>(call, *y, &used);
        S sum = 0;
        for (std::size_t k = 0; k < places.size(); ++k)
            sum += (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conjugate(a[k]) : a[k]) *
                   b[position(places[k])];
        write_scalar(call, result, computes, sum);
    });
}

}  // extern "C"

#endif
