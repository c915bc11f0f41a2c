// What the parts of cuBLAS and its kin share: the handle, and numbers of all types. Read after the
// toolkit's headers.
#pragma once

#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <complex>
#include <cstddef>
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
    return [=](int i) { return first + i * step; };
}
template <class T>
auto listed(T* const* list) {
    return [=](int i) { return list[i]; };
}

inline float widened(__half x) { return __half2float(x); }
inline float widened(__nv_bfloat16 x) { return __bfloat162float(x); }
inline int widened(signed char x) { return x; }
template <class T>
T widened(T x) {
    return x;
}
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
