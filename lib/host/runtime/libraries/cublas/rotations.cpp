// cuBLAS's rotations of vectors, and what makes them of two numbers: Givens's and modified ones.
#include <array>

#include "cuset_host/cuda_types.h"
#include "vectors.h"

using namespace cuset_host;

namespace {

/// x' = c x + s y and y' = c y - conj(s) x.
template <class T, class C, class S>
cublasStatus_t rotate(cublasHandle_t h, std::ptrdiff_t n, T* x, std::ptrdiff_t step_x, T* y,
                      std::ptrdiff_t step_y, const C* c_at, const S* s_at) {
    const kept_factor c(h, c_at);
    const kept_factor s(h, s_at);
    return each(h, n, step_x, step_y, [=](std::ptrdiff_t i, std::ptrdiff_t j) {
        const auto u = widened(x[i]), v = widened(y[j]);
        const auto cosine = std::real(widened(*c));
        const auto sine = widened(*s);
        x[i] = narrowed<T>(cosine * u + sine * v);
        y[j] = narrowed<T>(cosine * v - conjugate(sine) * u);
    });
}

/// A modified rotation's matrix, in columns: its flag fixes some of the numbers, the others are in
/// `made`.
template <class R>
std::array<R, 4> rotation_of(R flag, const std::array<R, 4>& made) {
    if (flag == R(-2)) return {1, 0, 0, 1};
    if (flag == R(-1)) return made;
    if (flag == R(0)) return {1, made[1], made[2], 1};
    return {made[0], -1, 1, made[3]};
}

template <class T>
cublasStatus_t rotate_modified(cublasHandle_t h, std::ptrdiff_t n, T* x, std::ptrdiff_t step_x,
                               T* y, std::ptrdiff_t step_y, const T* parameters) {
    using R = computed<T>;
    using all = std::array<T, 5>;
    const kept_factor kept(h, reinterpret_cast<const all*>(parameters));
    return run_or_record(h, parameters == nullptr, [=] {
        const all& from = *kept;
        if (widened(from[0]) == R(-2)) return;
        const auto [h11, h21, h12, h22] = rotation_of<R>(
            widened(from[0]),
            {widened(from[1]), widened(from[2]), widened(from[3]), widened(from[4])});
        walk(n, step_x, step_y, [&](std::ptrdiff_t i, std::ptrdiff_t j) {
            const R u = widened(x[i]), v = widened(y[j]);
            x[i] = narrowed<T>(h11 * u + h12 * v);
            y[j] = narrowed<T>(h21 * u + h22 * v);
        });
    });
}

/// Makes numbers where the handle says that they are: on the host, at once.
template <class Work>
cublasStatus_t make(cublasHandle_t h, bool is_bad, const Work& work) {
    if (h == nullptr || is_bad || h->pointers == CUBLAS_POINTER_MODE_DEVICE)
        return run_or_record(h, is_bad, work);
    work();
    return CUBLAS_STATUS_SUCCESS;
}

/// The rotation that takes (a, b) to (r, 0): a becomes r, and b what c and s are made of again.
template <class T>
cublasStatus_t make_rotation(cublasHandle_t h, T* a, T* b, T* c, T* s) {
    using R = computed<T>;
    return make(h, has_null(a, b, c, s), [=] {
        const R f = widened(*a), g = widened(*b), size = std::hypot(f, g);
        const bool first_is_larger = std::abs(f) > std::abs(g);
        R cosine = 1, sine = 0, r = 0, z = 0;
        if (size != 0) {
            r = std::copysign(size, first_is_larger ? f : g);
            cosine = f / r, sine = g / r;
            z = first_is_larger ? sine : cosine != 0 ? 1 / cosine : R(1);
        }
        *a = narrowed<T>(r), *b = narrowed<T>(z), *c = narrowed<T>(cosine), *s = narrowed<T>(sine);
    });
}
/// Of complex numbers: b stays, and c is real.
template <class R>
cublasStatus_t make_rotation(cublasHandle_t h, std::complex<R>* a, std::complex<R>* b, R* c,
                             std::complex<R>* s) {
    return make(h, has_null(a, b, s) || c == nullptr, [=] {
        const R first = std::abs(*a), second = std::abs(*b);
        if (first == 0) {
            *c = 0, *s = 1, *a = *b;
            return;
        }
        const R size = std::hypot(first, second);
        const std::complex<R> direction = *a / first;
        *c = first / size;
        *s = direction * std::conj(*b) / size;
        *a = direction * size;
    });
}

/// What BLAS's rotmg makes, with its numbers held within 1 / 4096^2 and 4096^2.
template <class R>
struct modified_rotation {
    R d1, d2, x1, flag = 0;
    std::array<R, 4> h{};  // h11, h21, h12, h22

    void vanish() {
        flag = -1;
        h = {};
        d1 = d2 = x1 = 0;
    }
    void scale(R* d, R factor, int row) {
        h = rotation_of(flag, h);
        flag = -1;
        *d *= factor * factor;
        if (row == 0) x1 /= factor;
        h[static_cast<std::size_t>(row)] /= factor;
        h[static_cast<std::size_t>(row + 2)] /= factor;
    }
    void hold(R* d, int row) {
        constexpr R far = 4096;
        while (*d != 0 && std::isfinite(*d) && std::abs(*d) <= 1 / (far * far)) scale(d, far, row);
        while (std::isfinite(*d) && std::abs(*d) >= far * far) scale(d, 1 / far, row);
    }
    void make(R y1) {
        if (d1 < 0) return vanish();
        const R p2 = d2 * y1;
        if (p2 == 0) {
            flag = -2;
            return;
        }
        const R p1 = d1 * x1, q1 = p1 * x1, q2 = p2 * y1;
        if (std::abs(q1) > std::abs(q2)) {
            h = {0, -y1 / x1, p2 / p1, 0};
            const R u = 1 - h[2] * h[1];
            if (u <= 0) return vanish();
            d1 /= u, d2 /= u, x1 *= u;
        } else {
            if (q2 < 0) return vanish();
            flag = 1;
            h = {p1 / p2, 0, 0, x1 / y1};
            const R u = 1 + h[0] * h[3], first = d1;
            d1 = d2 / u, d2 = first / u, x1 = y1 * u;
        }
        hold(&d1, 0);
        hold(&d2, 1);
    }
};

/// Of the parameters, those that the flag fixes are not written.
template <class T>
cublasStatus_t make_modified(cublasHandle_t h, T* d1, T* d2, T* x1, const T* y1, T* parameters) {
    using R = computed<T>;
    return make(h, has_null(d1, d2, x1, y1, parameters), [=] {
        modified_rotation<R> made{widened(*d1), widened(*d2), widened(*x1)};
        made.make(widened(*y1));
        *d1 = narrowed<T>(made.d1), *d2 = narrowed<T>(made.d2), *x1 = narrowed<T>(made.x1);
        parameters[0] = narrowed<T>(made.flag);
        for (std::size_t i = 0; i < 4 && made.flag != R(-2); ++i) {
            const bool is_diagonal = i == 0 || i == 3;
            if (made.flag == R(-1) || (made.flag == R(1)) == is_diagonal)
                parameters[i + 1] = narrowed<T>(made.h[i]);
        }
    });
}

/// Calls with(T()) for what is of real numbers only.
template <class With>
cublasStatus_t with_reals(const char* name, cudaDataType type, bool others, const With& with) {
    return with_numbers(name, type, others && real_part_of(type) == type, [&](auto number) {
        if constexpr (is_complex<decltype(number)>)
            return CUBLAS_STATUS_NOT_SUPPORTED;
        else
            return with(number);
    });
}

}  // namespace

extern "C" {

#define CUSET_HOST_BLAS(T, C, S, name, Int, end)                                             \
    cublasStatus_t cublas##name##_v2##end(cublasHandle_t h, Int n, T* x, Int step_x, T* y,   \
                                          Int step_y, const C* c, const S* s) {              \
        return rotate(h, n, numbers(x), step_x, numbers(y), step_y, numbers(c), numbers(s)); \
    }
#define CUSET_HOST_BOTH(T, C, S, name)    \
    CUSET_HOST_BLAS(T, C, S, name, int, ) \
    CUSET_HOST_BLAS(T, C, S, name, int64_t, _64)
CUSET_HOST_BOTH(float, float, float, Srot)
CUSET_HOST_BOTH(double, double, double, Drot)
CUSET_HOST_BOTH(cuComplex, float, cuComplex, Crot)
CUSET_HOST_BOTH(cuComplex, float, float, Csrot)
CUSET_HOST_BOTH(cuDoubleComplex, double, cuDoubleComplex, Zrot)
CUSET_HOST_BOTH(cuDoubleComplex, double, double, Zdrot)
#undef CUSET_HOST_BOTH
#undef CUSET_HOST_BLAS

#define CUSET_HOST_BLAS(T, letter, Int, end)                                                     \
    cublasStatus_t cublas##letter##rotm_v2##end(cublasHandle_t h, Int n, T* x, Int step_x, T* y, \
                                                Int step_y, const T* parameters) {               \
        return rotate_modified(h, n, x, step_x, y, step_y, parameters);                          \
    }
CUSET_HOST_REAL_CALLS(CUSET_HOST_BLAS)
#undef CUSET_HOST_BLAS

#define CUSET_HOST_BLAS(T, R, letter)                                                  \
    cublasStatus_t cublas##letter##rotg_v2(cublasHandle_t h, T* a, T* b, R* c, T* s) { \
        return make_rotation(h, numbers(a), numbers(b), c, numbers(s));                \
    }
CUSET_HOST_BLAS(float, float, S)
CUSET_HOST_BLAS(double, double, D)
CUSET_HOST_BLAS(cuComplex, float, C)
CUSET_HOST_BLAS(cuDoubleComplex, double, Z)
#undef CUSET_HOST_BLAS

#define CUSET_HOST_BLAS(T, letter)                                                              \
    cublasStatus_t cublas##letter##rotmg_v2(cublasHandle_t h, T* d1, T* d2, T* x1, const T* y1, \
                                            T* parameters) {                                    \
        return make_modified(h, d1, d2, x1, y1, parameters);                                    \
    }
CUSET_HOST_BLAS(float, S)
CUSET_HOST_BLAS(double, D)
#undef CUSET_HOST_BLAS

#define CUSET_HOST_BLAS(Int, end)                                                                \
    cublasStatus_t cublasRotEx##end(cublasHandle_t h, Int n, void* x, cudaDataType type_x,       \
                                    Int step_x, void* y, cudaDataType type_y, Int step_y,        \
                                    const void* c, const void* s, cudaDataType type_c,           \
                                    cudaDataType computed_in) {                                  \
        const bool real_factors = type_c == real_part_of(type_x);                                \
        const bool fit = type_x == type_y && computed_in == factors_of(type_x) &&                \
                         (real_factors || type_c == type_x);                                     \
        return with_numbers("cublasRotEx", type_x, fit, [&](auto number) {                       \
            using T = decltype(number);                                                          \
            using R = real_of<T>;                                                                \
            if (real_factors)                                                                    \
                return rotate(h, n, static_cast<T*>(x), step_x, static_cast<T*>(y), step_y,      \
                              static_cast<const R*>(c), static_cast<const R*>(s));               \
            return rotate(h, n, static_cast<T*>(x), step_x, static_cast<T*>(y), step_y,          \
                          static_cast<const T*>(c), static_cast<const T*>(s));                   \
        });                                                                                      \
    }                                                                                            \
    cublasStatus_t cublasRotmEx##end(cublasHandle_t h, Int n, void* x, cudaDataType type_x,      \
                                     Int step_x, void* y, cudaDataType type_y, Int step_y,       \
                                     const void* parameters, cudaDataType type_parameters,       \
                                     cudaDataType computed_in) {                                 \
        const bool fit =                                                                         \
            type_x == type_y && type_x == type_parameters && computed_in == factors_of(type_x);  \
        return with_reals("cublasRotmEx", type_x, fit, [&](auto number) {                        \
            using T = decltype(number);                                                          \
            return rotate_modified(h, n, static_cast<T*>(x), step_x, static_cast<T*>(y), step_y, \
                                   static_cast<const T*>(parameters));                           \
        });                                                                                      \
    }
CUSET_HOST_BLAS(int, )
CUSET_HOST_BLAS(int64_t, _64)
#undef CUSET_HOST_BLAS

cublasStatus_t cublasRotgEx(cublasHandle_t h, void* a, void* b, cudaDataType type, void* c, void* s,
                            cudaDataType type_c, cudaDataType computed_in) {
    const bool fit = type_c == type && computed_in == factors_of(type);
    return with_reals("cublasRotgEx", type, fit, [&](auto number) {
        using T = decltype(number);
        return make_rotation(h, static_cast<T*>(a), static_cast<T*>(b), static_cast<T*>(c),
                             static_cast<T*>(s));
    });
}

cublasStatus_t cublasRotmgEx(cublasHandle_t h, void* d1, cudaDataType type_d1, void* d2,
                             cudaDataType type_d2, void* x1, cudaDataType type_x1, const void* y1,
                             cudaDataType type_y1, void* parameters, cudaDataType type_parameters,
                             cudaDataType computed_in) {
    const bool fit = type_d1 == type_d2 && type_d1 == type_x1 && type_d1 == type_y1 &&
                     type_d1 == type_parameters && computed_in == factors_of(type_d1);
    return with_reals("cublasRotmgEx", type_d1, fit, [&](auto number) {
        using T = decltype(number);
        return make_modified(h, static_cast<T*>(d1), static_cast<T*>(d2), static_cast<T*>(x1),
                             static_cast<const T*>(y1), static_cast<T*>(parameters));
    });
}

}  // extern "C"
