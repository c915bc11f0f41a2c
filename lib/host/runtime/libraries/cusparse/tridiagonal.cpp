// cuSPARSE's solutions of tridiagonal systems, by elimination with pivots in all its variants.
#include <complex>
#include <utility>

#include "cuset_host/cuda_types.h"
#include "handle.h"

#if CUSPARSE_VERSION >= 12500

using namespace cuset_host;
using namespace cuset_host::sparse;

namespace {

/// The systems of a call: where the diagonals and right sides of system `s` begin, and how far
/// apart their elements are.
struct layout {
    whole rows, systems, step, stride;     // of the diagonals
    whole columns = 1, column_stride = 0;  // right sides of each system
    whole first(whole system) const { return system * stride; }
};

/// Solves one system; right sides follow each other in x.
template <class S>
void solve(std::vector<S> lower, std::vector<S> middle, std::vector<S> upper, std::vector<S>& x) {
    const std::size_t n = middle.size(), sides = n == 0 ? 0 : x.size() / n;
    std::vector<S> second(n);  // above `upper`, filled in where rows are swapped
    for (std::size_t i = 0; i + 1 < n; ++i) {
        if (std::abs(lower[i + 1]) > std::abs(middle[i])) {
            std::swap(middle[i], lower[i + 1]);
            std::swap(upper[i], middle[i + 1]);
            std::swap(second[i], upper[i + 1]);
            for (std::size_t r = 0; r < sides; ++r) std::swap(x[r * n + i], x[r * n + i + 1]);
        }
        const S factor = lower[i + 1] / middle[i];
        middle[i + 1] -= factor * upper[i];
        upper[i + 1] -= factor * second[i];
        for (std::size_t r = 0; r < sides; ++r) x[r * n + i + 1] -= factor * x[r * n + i];
    }
    for (std::size_t r = 0; r < sides; ++r)
        for (std::size_t i = n; i-- > 0;) {
            S& to = x[r * n + i];
            if (i + 1 < n) to -= upper[i] * x[r * n + i + 1];
            if (i + 2 < n) to -= second[i] * x[r * n + i + 2];
            to /= middle[i];
        }
}

/// `count` values that are `step` apart.
template <class S>
std::vector<S> read_steps(const running_call& call, const void* p, cudaDataType type, whole first,
                          whole count, whole step) {
    if (step == 1) return read_values<S>(call, p, type, count, first);
    std::vector<S> values;
    for (whole i = 0; i < count; ++i)
        values.push_back(read_values<S>(call, p, type, 1, first + i * step)[0]);
    return values;
}

template <class S>
cusparseStatus_t solve_all(const char* name, cusparseHandle_t handle, const layout& at,
                           const void* lower_at, const void* middle_at, const void* upper_at,
                           void* x_at, cudaDataType type, const void* buffer) {
    return run(name, handle, buffer, [&](const running_call& call) {
        const whole n = at.rows;
        for (whole s = 0; s < at.systems; ++s) {
            const whole first = at.first(s);
            // The first element below the diagonal and the last one above are none.
            auto lower = read_steps<S>(call, lower_at, type, first + at.step, n - 1, at.step);
            lower.insert(lower.begin(), S(0));
            auto upper = read_steps<S>(call, upper_at, type, first, n - 1, at.step);
            upper.push_back(S(0));
            std::vector<S> x;
            for (whole r = 0; r < at.columns; ++r) {
                const auto side =
                    read_steps<S>(call, x_at, type, first + r * at.column_stride, n, at.step);
                x.insert(x.end(), side.begin(), side.end());
            }
            solve(std::move(lower), read_steps<S>(call, middle_at, type, first, n, at.step),
                  std::move(upper), x);
            for (whole r = 0; r < at.columns; ++r)
                for (whole i = 0; i < n; ++i)
                    write_values(call, x_at, type, std::vector<S>(1, x[position(r * n + i)]),
                                 first + r * at.column_stride + i * at.step);
        }
    });
}

bool are_sizes(int m, int n, int step) { return m >= 3 && n >= 0 && step >= m; }

}  // namespace

extern "C" {

#define CUSET_HOST_SYSTEMS(letter, T, S, type, name)                                               \
    cusparseStatus_t cusparse##letter##name##_bufferSizeExt(cusparseHandle_t handle, int m, int n, \
                                                            const T*, const T*, const T*,          \
                                                            const T*, int step, size_t* bytes) {   \
        return give_buffer_size(check_call(handle, are_sizes(m, n, step)), bytes);                 \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##name(cusparseHandle_t handle, int m, int n, const T* lower, \
                                            const T* middle, const T* upper, T* b, int step,       \
                                            void* buffer) {                                        \
        if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;                             \
        if (!are_sizes(m, n, step)) return CUSPARSE_STATUS_INVALID_VALUE;                          \
        return solve_all<S>("cusparse" #letter #name, handle, {m, 1, 1, 0, n, step}, lower,        \
                            middle, upper, b, type, buffer);                                       \
    }
#define CUSET_HOST_SPARSE(letter, T, S, type)                                                      \
    CUSET_HOST_SYSTEMS(letter, T, S, type, gtsv2)                                                  \
    CUSET_HOST_SYSTEMS(letter, T, S, type, gtsv2_nopivot)                                          \
    cusparseStatus_t cusparse##letter##gtsv2StridedBatch_bufferSizeExt(                            \
        cusparseHandle_t handle, int m, const T*, const T*, const T*, const T*, int count,         \
        int stride, size_t* bytes) {                                                               \
        return give_buffer_size(check_call(handle, are_sizes(m, count, stride)), bytes);           \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##gtsv2StridedBatch(                                          \
        cusparseHandle_t handle, int m, const T* lower, const T* middle, const T* upper, T* x,     \
        int count, int stride, void* buffer) {                                                     \
        if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;                             \
        if (!are_sizes(m, count, stride)) return CUSPARSE_STATUS_INVALID_VALUE;                    \
        return solve_all<S>("cusparse" #letter "gtsv2StridedBatch", handle, {m, count, 1, stride}, \
                            lower, middle, upper, x, type, buffer);                                \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##gtsvInterleavedBatch_bufferSizeExt(                         \
        cusparseHandle_t handle, int, int m, const T*, const T*, const T*, const T*, int count,    \
        size_t* bytes) {                                                                           \
        return give_buffer_size(check_call(handle, m >= 1 && count >= 0), bytes);                  \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##gtsvInterleavedBatch(cusparseHandle_t handle, int method,   \
                                                            int m, T* lower, T* middle, T* upper,  \
                                                            T* x, int count, void* buffer) {       \
        if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;                             \
        if (method < 0 || method > 2 || m < 1 || count < 0) return CUSPARSE_STATUS_INVALID_VALUE;  \
        return solve_all<S>("cusparse" #letter "gtsvInterleavedBatch", handle,                     \
                            {m, count, count, 1}, lower, middle, upper, x, type, buffer);          \
    }
CUSET_HOST_SPARSE(S, float, double, CUDA_R_32F)
CUSET_HOST_SPARSE(D, double, double, CUDA_R_64F)
CUSET_HOST_SPARSE(C, cuComplex, complex_number, CUDA_C_32F)
CUSET_HOST_SPARSE(Z, cuDoubleComplex, complex_number, CUDA_C_64F)
#undef CUSET_HOST_SPARSE
#undef CUSET_HOST_SYSTEMS

}  // extern "C"

#endif
