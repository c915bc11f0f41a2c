// cuBLAS on vectors: level 1, products of a matrix and a vector, and sums of matrices.
#include "cuset_host/cuda_types.h"
#include "handle.h"

using namespace cuset_host;

namespace {

/// Calls body(place in x, place in y) for each of n elements.
template <class Body>
void walk(std::ptrdiff_t n, std::ptrdiff_t step_x, std::ptrdiff_t step_y, const Body& body) {
    const std::ptrdiff_t x = first_of(n, step_x), y = first_of(n, step_y);
    for (std::ptrdiff_t i = 0; i < n; ++i) body(x + i * step_x, y + i * step_y);
}

/// Does so in a kernel. Numbers that are passed by pointers are the device's if the handle says so:
/// they are read where the library runs.
template <class Body>
cublasStatus_t each(cublasHandle_t h, std::ptrdiff_t n, std::ptrdiff_t step_x,
                    std::ptrdiff_t step_y, const Body& body) {
    return run(h, false, [&] { walk(n, step_x, step_y, body); });
}
template <class Body>
cublasStatus_t each_or_record(cublasHandle_t h, std::ptrdiff_t n, std::ptrdiff_t step_x,
                              std::ptrdiff_t step_y, const Body& body) {
    return run_or_record(h, false, [=] { walk(n, step_x, step_y, body); });
}

/// Gives finish(sum of body(place in x, place in y)) as the result, of no elements 0. A graph can
/// only make a result that is the device's.
template <class W, class Result, class Body, class Finish>
cublasStatus_t total(cublasHandle_t h, std::ptrdiff_t n, std::ptrdiff_t step_x,
                     std::ptrdiff_t step_y, Result* result, const Body& body,
                     const Finish& finish) {
    const auto work = [=] {
        W sum = 0;
        walk(n, step_x, step_y, [&](std::ptrdiff_t i, std::ptrdiff_t j) { sum += body(i, j); });
        *result = static_cast<Result>(finish(sum));
    };
    const bool is_on_device = h != nullptr && h->pointers == CUBLAS_POINTER_MODE_DEVICE;
    return is_on_device ? run_or_record(h, false, work) : run(h, false, work);
}

template <class T>
cublasStatus_t dot(cublasHandle_t h, int n, const T* x, int step_x, const T* y, int step_y,
                   T* result, bool conjugated) {
    using W = wide_of<T>;
    return total<W>(
        h, n, step_x, step_y, result,
        [=](std::ptrdiff_t i, std::ptrdiff_t j) {
            return W(conjugated ? conjugate(x[i]) : x[i]) * W(y[j]);
        },
        [](const W& sum) { return T(sum); });
}

/// The squares of large and small numbers need a wider range.
template <class T>
cublasStatus_t norm(cublasHandle_t h, int n, const T* x, int step, real_of<T>* result) {
    using W = long double;
    return total<W>(
        h, step > 0 ? n : 0, step, 1, result,
        [=](std::ptrdiff_t i, std::ptrdiff_t) {
            const W real = std::real(x[i]), imaginary = std::imag(x[i]);
            return real * real + imaginary * imaginary;
        },
        [](W sum) { return std::sqrt(sum); });
}

template <class T>
real_of<T> magnitude(const T& x) {
    return std::abs(std::real(x)) + std::abs(std::imag(x));
}

template <class T>
cublasStatus_t sum_of_magnitudes(cublasHandle_t h, int n, const T* x, int step,
                                 real_of<T>* result) {
    return total<double>(
        h, step > 0 ? n : 0, step, 1, result,
        [=](std::ptrdiff_t i, std::ptrdiff_t) { return static_cast<double>(magnitude(x[i])); },
        [](double sum) { return sum; });
}

/// The place, from 1, of the first element of the largest or smallest magnitude; of none, 0.
template <class T>
cublasStatus_t extreme(cublasHandle_t h, int n, const T* x, int step, int* result, bool largest) {
    return run(h, false, [=] {
        int best = 0;
        real_of<T> found = 0;
        for (int i = 0; i < n && step > 0; ++i) {
            const real_of<T> own = magnitude(x[std::ptrdiff_t{i} * step]);
            if (i == 0 || (largest ? own > found : own < found)) found = own, best = i + 1;
        }
        *result = best;
    });
}

template <class T>
cublasStatus_t rotate(cublasHandle_t h, int n, T* x, int step_x, T* y, int step_y,
                      const real_of<T>* c, const real_of<T>* s) {
    return each(h, n, step_x, step_y, [&](std::ptrdiff_t i, std::ptrdiff_t j) {
        const T u = x[i], v = y[j];
        x[i] = *c * u + *s * v;
        y[j] = *c * v - *s * u;
    });
}

template <class T>
cublasStatus_t times_vector(cublasHandle_t h, cublasOperation_t t, int m, int n, const T* alpha_at,
                            const T* a, int lda, const T* x, int step_x, const T* beta_at, T* y,
                            int step_y, long long apart_a = 0, long long apart_x = 0,
                            long long apart_y = 0, int count = 1) {
    using W = wide_of<T>;
    const kept_factor<T> alpha(h, alpha_at), beta(h, beta_at);
    const bool is_bad =
        m < 0 || n < 0 || is_smaller(lda, m) || step_x == 0 || step_y == 0 || count < 0;
    return run_or_record(h, is_bad, [=] {
        const std::ptrdiff_t rows = t == CUBLAS_OP_N ? m : n, columns = t == CUBLAS_OP_N ? n : m;
        std::vector<W> sums(static_cast<std::size_t>(rows));
        for (int b = 0; b < count; ++b) {
            const matrix<const T> from{a + b * apart_a, lda};
            const T* const in = x + b * apart_x + first_of(columns, step_x);
            T* const out = y + b * apart_y + first_of(rows, step_y);
            std::fill(sums.begin(), sums.end(), W(0));
            if (*alpha != T(0))
                for (std::ptrdiff_t j = 0; j < n; ++j)
                    for (std::ptrdiff_t i = 0; i < m; ++i) {
                        if (t == CUBLAS_OP_N)
                            sums[static_cast<std::size_t>(i)] += W(from(i, j)) * W(in[j * step_x]);
                        else
                            sums[static_cast<std::size_t>(j)] +=
                                W(t == CUBLAS_OP_C ? conjugate(from(i, j)) : from(i, j)) *
                                W(in[i * step_x]);
                    }
            for (std::ptrdiff_t i = 0; i < rows; ++i) {
                T& to = out[i * step_y];
                W value = W(*alpha) * sums[static_cast<std::size_t>(i)];
                if (*beta != T(0)) value += W(*beta) * W(to);
                to = static_cast<T>(value);
            }
        }
    });
}

template <class T>
cublasStatus_t add_outer(cublasHandle_t h, int m, int n, const T* alpha_at, const T* x, int step_x,
                         const T* y, int step_y, T* a, int lda, bool conjugated) {
    const kept_factor<T> alpha(h, alpha_at);
    const bool is_bad = m < 0 || n < 0 || step_x == 0 || step_y == 0 || is_smaller(lda, m);
    return run_or_record(h, is_bad, [=] {
        const T *const left = x + first_of(m, step_x), *const right = y + first_of(n, step_y);
        const matrix<T> to{a, lda};
        for (std::ptrdiff_t j = 0; j < n; ++j) {
            const T own = right[j * step_y];
            const T factor = *alpha * (conjugated ? conjugate(own) : own);
            for (std::ptrdiff_t i = 0; i < m; ++i) to(i, j) += left[i * step_x] * factor;
        }
    });
}

/// C may be A or B where that is not transposed.
template <class T>
cublasStatus_t add_matrices(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                            int n, const T* alpha_at, const T* a, int lda, const T* beta_at,
                            const T* b, int ldb, T* c, int ldc) {
    const bool turns_a = ta != CUBLAS_OP_N, turns_b = tb != CUBLAS_OP_N;
    const bool is_bad = m < 0 || n < 0 || is_smaller(lda, turns_a ? n : m) ||
                        is_smaller(ldb, turns_b ? n : m) || is_smaller(ldc, m) ||
                        (c == a && (turns_a || lda != ldc)) || (c == b && (turns_b || ldb != ldc));
    const kept_factor<T> alpha(h, alpha_at), beta(h, beta_at);
    return run_or_record(h, is_bad, [=] {
        const matrix<const T> left{a, lda}, right{b, ldb};
        const matrix<T> to{c, ldc};
        for (std::ptrdiff_t j = 0; j < n; ++j)
            for (std::ptrdiff_t i = 0; i < m; ++i) {
                T sum = 0;
                if (*alpha != T(0)) sum += *alpha * taken(left, ta, i, j);
                if (*beta != T(0)) sum += *beta * taken(right, tb, i, j);
                to(i, j) = sum;
            }
    });
}

template <class T>
cublasStatus_t times_diagonal(cublasHandle_t h, cublasSideMode_t side, int m, int n, const T* a,
                              int lda, const T* x, int step, T* c, int ldc) {
    const bool is_bad = m < 0 || n < 0 || is_smaller(lda, m) || is_smaller(ldc, m);
    return run_or_record(h, is_bad, [=] {
        const bool is_left = side == CUBLAS_SIDE_LEFT;
        const T* const d = x + first_of(is_left ? m : n, step);
        const matrix<const T> from{a, lda};
        const matrix<T> to{c, ldc};
        for (std::ptrdiff_t j = 0; j < n; ++j)
            for (std::ptrdiff_t i = 0; i < m; ++i)
                to(i, j) = from(i, j) * d[(is_left ? i : j) * step];
    });
}

}  // namespace

extern "C" {

#define CUSET_HOST_BLAS(T, letter)                                                                \
    cublasStatus_t cublas##letter##axpy_v2(cublasHandle_t h, int n, const T* alpha, const T* x,   \
                                           int step_x, T* y, int step_y) {                        \
        const kept_factor factor(h, numbers(alpha));                                              \
        return each_or_record(h, n, step_x, step_y, [=](std::ptrdiff_t i, std::ptrdiff_t j) {     \
            numbers(y)[j] += *factor * numbers(x)[i];                                             \
        });                                                                                       \
    }                                                                                             \
    cublasStatus_t cublas##letter##scal_v2(cublasHandle_t h, int n, const T* alpha, T* x,         \
                                           int step) {                                            \
        const kept_factor factor(h, numbers(alpha));                                              \
        return each_or_record(                                                                    \
            h, step > 0 ? n : 0, step, 1,                                                         \
            [=](std::ptrdiff_t i, std::ptrdiff_t) { numbers(x)[i] *= *factor; });                 \
    }                                                                                             \
    cublasStatus_t cublas##letter##copy_v2(cublasHandle_t h, int n, const T* x, int step_x, T* y, \
                                           int step_y) {                                          \
        return each_or_record(h, n, step_x, step_y,                                               \
                              [=](std::ptrdiff_t i, std::ptrdiff_t j) { y[j] = x[i]; });          \
    }                                                                                             \
    cublasStatus_t cublas##letter##swap_v2(cublasHandle_t h, int n, T* x, int step_x, T* y,       \
                                           int step_y) {                                          \
        return each(h, n, step_x, step_y,                                                         \
                    [=](std::ptrdiff_t i, std::ptrdiff_t j) { std::swap(x[i], y[j]); });          \
    }                                                                                             \
    cublasStatus_t cublas##letter##gemv_v2(cublasHandle_t h, cublasOperation_t t, int m, int n,   \
                                           const T* alpha, const T* a, int lda, const T* x,       \
                                           int step_x, const T* beta, T* y, int step_y) {         \
        return times_vector(h, t, m, n, numbers(alpha), numbers(a), lda, numbers(x), step_x,      \
                            numbers(beta), numbers(y), step_y);                                   \
    }                                                                                             \
    cublasStatus_t cublas##letter##gemvStridedBatched(                                            \
        cublasHandle_t h, cublasOperation_t t, int m, int n, const T* alpha, const T* a, int lda, \
        long long apart_a, const T* x, int step_x, long long apart_x, const T* beta, T* y,        \
        int step_y, long long apart_y, int count) {                                               \
        return times_vector(h, t, m, n, numbers(alpha), numbers(a), lda, numbers(x), step_x,      \
                            numbers(beta), numbers(y), step_y, apart_a, apart_x, apart_y, count); \
    }                                                                                             \
    cublasStatus_t cublas##letter##geam(                                                          \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,               \
        const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc) { \
        return add_matrices(h, ta, tb, m, n, numbers(alpha), numbers(a), lda, numbers(beta),      \
                            numbers(b), ldb, numbers(c), ldc);                                    \
    }                                                                                             \
    cublasStatus_t cublas##letter##dgmm(cublasHandle_t h, cublasSideMode_t side, int m, int n,    \
                                        const T* a, int lda, const T* x, int step, T* c,          \
                                        int ldc) {                                                \
        return times_diagonal(h, side, m, n, numbers(a), lda, numbers(x), step, numbers(c), ldc); \
    }
CUSET_HOST_BLAS(float, S)
CUSET_HOST_BLAS(double, D)
CUSET_HOST_BLAS(cuComplex, C)
CUSET_HOST_BLAS(cuDoubleComplex, Z)
#undef CUSET_HOST_BLAS

// Results that are real: the names begin with both types.
#define CUSET_HOST_BLAS(T, R, both, small)                                                \
    cublasStatus_t cublas##both##nrm2_v2(cublasHandle_t h, int n, const T* x, int step,   \
                                         R* result) {                                     \
        return norm(h, n, numbers(x), step, result);                                      \
    }                                                                                     \
    cublasStatus_t cublas##both##asum_v2(cublasHandle_t h, int n, const T* x, int step,   \
                                         R* result) {                                     \
        return sum_of_magnitudes(h, n, numbers(x), step, result);                         \
    }                                                                                     \
    cublasStatus_t cublasI##small##amax_v2(cublasHandle_t h, int n, const T* x, int step, \
                                           int* result) {                                 \
        return extreme(h, n, numbers(x), step, result, true);                             \
    }                                                                                     \
    cublasStatus_t cublasI##small##amin_v2(cublasHandle_t h, int n, const T* x, int step, \
                                           int* result) {                                 \
        return extreme(h, n, numbers(x), step, result, false);                            \
    }
CUSET_HOST_BLAS(float, float, S, s)
CUSET_HOST_BLAS(double, double, D, d)
CUSET_HOST_BLAS(cuComplex, float, Sc, c)
CUSET_HOST_BLAS(cuDoubleComplex, double, Dz, z)
#undef CUSET_HOST_BLAS

#define CUSET_HOST_BLAS(T, name_dot, name_ger, conjugated)                                     \
    cublasStatus_t cublas##name_dot##_v2(cublasHandle_t h, int n, const T* x, int step_x,      \
                                         const T* y, int step_y, T* result) {                  \
        return dot(h, n, numbers(x), step_x, numbers(y), step_y, numbers(result), conjugated); \
    }                                                                                          \
    cublasStatus_t cublas##name_ger##_v2(cublasHandle_t h, int m, int n, const T* alpha,       \
                                         const T* x, int step_x, const T* y, int step_y, T* a, \
                                         int lda) {                                            \
        return add_outer(h, m, n, numbers(alpha), numbers(x), step_x, numbers(y), step_y,      \
                         numbers(a), lda, conjugated);                                         \
    }
CUSET_HOST_BLAS(float, Sdot, Sger, false)
CUSET_HOST_BLAS(double, Ddot, Dger, false)
CUSET_HOST_BLAS(cuComplex, Cdotu, Cgeru, false)
CUSET_HOST_BLAS(cuDoubleComplex, Zdotu, Zgeru, false)
CUSET_HOST_BLAS(cuComplex, Cdotc, Cgerc, true)
CUSET_HOST_BLAS(cuDoubleComplex, Zdotc, Zgerc, true)
#undef CUSET_HOST_BLAS

// A real factor or rotation.
#define CUSET_HOST_BLAS(T, R, name_rot)                                                   \
    cublasStatus_t cublas##name_rot##_v2(cublasHandle_t h, int n, T* x, int step_x, T* y, \
                                         int step_y, const R* c, const R* s) {            \
        return rotate(h, n, numbers(x), step_x, numbers(y), step_y, c, s);                \
    }
CUSET_HOST_BLAS(float, float, Srot)
CUSET_HOST_BLAS(double, double, Drot)
CUSET_HOST_BLAS(cuComplex, float, Csrot)
CUSET_HOST_BLAS(cuDoubleComplex, double, Zdrot)
#undef CUSET_HOST_BLAS
#define CUSET_HOST_BLAS(T, R, name)                                                             \
    cublasStatus_t cublas##name##_v2(cublasHandle_t h, int n, const R* alpha, T* x, int step) { \
        return each(h, step > 0 ? n : 0, step, 1,                                               \
                    [=](std::ptrdiff_t i, std::ptrdiff_t) { numbers(x)[i] *= *alpha; });        \
    }
CUSET_HOST_BLAS(cuComplex, float, Csscal)
CUSET_HOST_BLAS(cuDoubleComplex, double, Zdscal)
#undef CUSET_HOST_BLAS

}  // extern "C"
