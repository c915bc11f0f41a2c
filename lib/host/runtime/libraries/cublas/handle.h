// What the parts of cuBLAS and its kin share: the handle, and numbers of all types. Read after the
// toolkit's headers.
#pragma once

#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "cuset_host/library_work.h"
#include "libraries/matrices.h"

struct cublasContext {
    cudaStream_t stream = nullptr;
    cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
    cublasMath_t math = CUBLAS_DEFAULT_MATH;
    cublasAtomicsMode_t atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
};

namespace cuset_host {

/// A factor of a call that a graph repeats. A host's number is copied, since it may be gone by
/// then.
template <class T>
class kept_factor {
public:
    kept_factor(cublasHandle_t h, const T* factor) : pointer_(factor), copy_{} {
        if (h == nullptr || h->pointers != CUBLAS_POINTER_MODE_HOST || factor == nullptr) return;
        copy_ = *std::exchange(pointer_, nullptr);
    }
    const T* get() const { return pointer_ == nullptr ? &copy_ : pointer_; }

private:
    const T* pointer_;  ///< null: the copy counts
    T copy_;
};

/// If the handle's stream is being captured, adds repeat(handle) to its graph: true.
template <class Repeat>
bool is_recorded(cublasHandle_t h, Repeat repeat) {
    return h != nullptr && captures_library(h->stream, [now = *h, repeat]() mutable {
               now.stream = nullptr;
               repeat(&now);
           });
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
