// What the parts of cuBLAS and its kin share: the handle, and numbers of all types. Read after the
// toolkit's headers.
#pragma once

#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "libraries/handles.h"
#include "libraries/matrices.h"

struct cublasContext {
    cudaStream_t stream = nullptr;
    cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
    cublasMath_t math = CUBLAS_DEFAULT_MATH;
    cublasAtomicsMode_t atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
    int multiprocessors = 0;
};

namespace cuset_host {

template <>
struct codes<cublasStatus_t> {
    static constexpr auto no_handle = CUBLAS_STATUS_NOT_INITIALIZED;
    static constexpr auto bad_value = CUBLAS_STATUS_INVALID_VALUE;
};

/// A factor of a call that a graph repeats. A host's number is copied, since it may be gone by
/// then.
template <class T>
class kept_factor {
public:
    kept_factor(cublasHandle_t h, const T* factor) : pointer_(factor) {
        if (h != nullptr && h->pointers == CUBLAS_POINTER_MODE_HOST && factor != nullptr)
            copy_ = *factor;
    }
    const T& operator*() const { return copy_ ? *copy_ : *pointer_; }

private:
    const T* pointer_;
    std::optional<T> copy_;
};

template <class Work>
cublasStatus_t run(cublasHandle_t h, bool is_bad, const Work& work) {
    return run_on_device<cublasStatus_t>(h, is_bad, work);
}
/// Runs work() as a kernel, or adds it to the graph of a stream that is being captured. It keeps
/// what it needs by value.
template <class Work>
cublasStatus_t run_or_record(cublasHandle_t h, bool is_bad, const Work& work) {
    const auto repeat = [work] {
        const library_kernel running(nullptr);
        work();
    };
    if (h != nullptr && !is_bad && captures_library(h->stream, repeat))
        return CUBLAS_STATUS_SUCCESS;
    return run(h, is_bad, work);
}

/// The number that a type of CUDA's API stands for.
template <class T>
struct number_behind {
    using type = T;
};
template <>
struct number_behind<cuComplex> {
    using type = std::complex<float>;
};
template <>
struct number_behind<cuDoubleComplex> {
    using type = std::complex<double>;
};
template <class T>
struct number_behind<const T> {
    using type = const typename number_behind<T>::type;
};
template <class T>
typename number_behind<T>::type* numbers(T* p) {
    return reinterpret_cast<typename number_behind<T>::type*>(p);
}
template <class T>
auto lists(T* const* p) {
    return reinterpret_cast<typename number_behind<T>::type* const*>(p);
}

/// The matrices of a batch that lie `step` apart, or to which pointers lead.
template <class T>
auto strided(T* first, long long step) {
    return [=](std::ptrdiff_t i) { return first + i * step; };
}
template <class T>
auto listed(T* const* list) {
    return [=](std::ptrdiff_t i) { return list[i]; };
}

inline float widened(__half x) { return __half2float(x); }
inline float widened(__nv_bfloat16 x) { return __bfloat162float(x); }
inline int widened(signed char x) { return x; }
template <class T>
T widened(T x) {
    return x;
}
/// The type in which numbers of T are scaled and added.
template <class T>
using computed = decltype(widened(T()));
/// Floating point becomes the nearest 8-bit integer, within its limits.
template <class T, class S>
T narrowed(S x) {
    if constexpr (std::is_same_v<T, __half>) {
        return __float2half(static_cast<float>(x));
    } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
        return __float2bfloat16(static_cast<float>(x));
    } else if constexpr (std::is_same_v<T, signed char>) {
        const double whole = std::nearbyint(static_cast<double>(x));
        return static_cast<T>(whole < -128 ? -128 : whole > 127 ? 127 : whole);
    } else {
        return static_cast<T>(x);
    }
}

/// Where a vector of n numbers begins that lie `step` apart.
inline std::ptrdiff_t first_of(std::ptrdiff_t n, std::ptrdiff_t step) {
    return step >= 0 ? 0 : (1 - n) * step;
}

inline bool is_fill(cublasFillMode_t fill) {
    return fill == CUBLAS_FILL_MODE_LOWER || fill == CUBLAS_FILL_MODE_UPPER;
}
inline bool is_side(cublasSideMode_t side) {
    return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT;
}
inline bool is_diagonal(cublasDiagType_t diagonal) {
    return diagonal == CUBLAS_DIAG_UNIT || diagonal == CUBLAS_DIAG_NON_UNIT;
}
inline bool is_operation(cublasOperation_t op) {
    return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
}
template <class... T>
bool has_null(const T*... pointers) {
    return ((pointers == nullptr) || ...);
}

/// The element of op(A).
template <class T>
T taken(const matrix<const T>& a, cublasOperation_t op, std::ptrdiff_t i, std::ptrdiff_t j) {
    if (op == CUBLAS_OP_N) return a(i, j);
    return op == CUBLAS_OP_C ? conjugate(a(j, i)) : a(j, i);
}

inline bool is_smaller(std::ptrdiff_t apart, std::ptrdiff_t rows) {
    return apart < std::max<std::ptrdiff_t>(1, rows);
}

}  // namespace cuset_host

/// Defines calls by define(T, letter, Int, end) for numbers of all types, with sizes of both
/// widths: cublasSaxpy_v2 and cublasSaxpy_v2_64.
#define CUSET_HOST_REAL_CALLS(define)                                               \
    define(float, S, int, ) define(float, S, int64_t, _64) define(double, D, int, ) \
        define(double, D, int64_t, _64)
#define CUSET_HOST_COMPLEX_CALLS(define)                           \
    define(cuComplex, C, int, ) define(cuComplex, C, int64_t, _64) \
        define(cuDoubleComplex, Z, int, ) define(cuDoubleComplex, Z, int64_t, _64)
#define CUSET_HOST_CALLS(define)  \
    CUSET_HOST_REAL_CALLS(define) \
    CUSET_HOST_COMPLEX_CALLS(define)
