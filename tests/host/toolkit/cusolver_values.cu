// cuSOLVER's eigenvalues and singular values, by residuals and orthogonality over random matrices.
#include <cusolverDn.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "complex_numbers.h"

constexpr unsigned seed = 20254;
static std::mt19937 source(seed);
static cusolverDnHandle_t h;

static double any() { return std::uniform_real_distribution<double>(-1, 1)(source); }

constexpr int apart = 24;

template <class T>
T* random_matrix(int count = 1) {
    T* p = managed<T>(static_cast<std::size_t>(count * apart * apart));
    for (int i = 0; i < count * apart * apart; ++i) set(p[i], {any(), any()});
    return p;
}
template <class T>
number at(const T& a, int i, int j) {
    return get(a[i + j * apart]);
}
template <class T>
T* room(int size) {
    MUST(size > 0);
    return managed<T>(static_cast<std::size_t>(size));
}
template <class T>
constexpr double tolerance =
    std::is_same_v<T, float> || std::is_same_v<T, cuComplex> ? 1e-4 : 1e-11;

// The Hermitian matrix of which one triangle is given.
template <class T>
std::vector<number> whole_of(const T* a, cublasFillMode_t fill, int n) {
    std::vector<number> whole(apart * apart);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const bool is_in = fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
            whole[i + j * apart] = i == j  ? number(at(a, i, i).real())
                                   : is_in ? at(a, i, j)
                                           : std::conj(at(a, j, i));
        }
    return whole;
}

// A v = w v, or w B v with V^H B V = 1, and the values ascend.
template <class T, class R>
void check_vectors(const std::vector<number>& a, const T* v, const R* w, int n,
                   const std::vector<number>* b = nullptr) {
    for (int j = 0; j < n; ++j) {
        MUST(j == 0 || w[j - 1] <= w[j]);
        for (int i = 0; i < n; ++i) {
            number sum = b == nullptr ? -number(w[j]) * at(v, i, j) : number(0);
            number product = i == j ? -1 : 0;
            for (int p = 0; p < n; ++p) {
                sum += a[i + p * apart] * at(v, p, j);
                number other = at(v, p, j);
                if (b != nullptr) {
                    sum -= number(w[j]) * (*b)[i + p * apart] * at(v, p, j);
                    other = 0;
                    for (int q = 0; q < n; ++q) other += (*b)[p + q * apart] * at(v, q, j);
                }
                product += std::conj(at(v, p, i)) * other;
            }
            MUST(std::abs(sum) < 20 * tolerance<T>);
            MUST(std::abs(product) < 20 * tolerance<T>);
        }
    }
}

#define NAMES(T_, R_, name)                                                           \
    struct name##_names {                                                             \
        using T = T_;                                                                 \
        using R = R_;                                                                 \
        static constexpr auto evd_size = cusolverDn##name##evd_bufferSize;            \
        static constexpr auto evd = cusolverDn##name##evd;                            \
        static constexpr auto evj_size = cusolverDn##name##evj_bufferSize;            \
        static constexpr auto evj = cusolverDn##name##evj;                            \
        static constexpr auto evj_all_size = cusolverDn##name##evjBatched_bufferSize; \
        static constexpr auto evj_all = cusolverDn##name##evjBatched;                 \
        static constexpr auto gvd_size = cusolverDn##name##gvd_bufferSize;            \
        static constexpr auto gvd = cusolverDn##name##gvd;                            \
        static constexpr auto gvj_size = cusolverDn##name##gvj_bufferSize;            \
        static constexpr auto gvj = cusolverDn##name##gvj;                            \
    };
NAMES(float, float, Ssy)
NAMES(double, double, Dsy)
NAMES(cuComplex, float, Che)
NAMES(cuDoubleComplex, double, Zhe)

template <class Names>
void eigenvalues(cublasFillMode_t fill, int n) {
    using T = typename Names::T;
    using R = typename Names::R;
    T *a = random_matrix<T>(2), *copy = managed<T>(2 * apart * apart);
    std::copy(a, a + 2 * apart * apart, copy);
    R *w = managed<R>(2 * apart), *alone = managed<R>(apart);
    int size = 0, *info = managed<int>(2);
    info[0] = info[1] = -7;
    const auto with = CUSOLVER_EIG_MODE_VECTOR;
    const auto whole = whole_of(a, fill, n);
    OK(Names::evd_size(h, with, fill, n, a, apart, w, &size));
    OK(Names::evd(h, with, fill, n, a, apart, w, room<T>(size), size, info));
    cudaDeviceSynchronize();
    MUST(info[0] == 0);
    check_vectors(whole, a, w, n);
    std::copy(copy, copy + 2 * apart * apart, a);
    OK(Names::evd(h, CUSOLVER_EIG_MODE_NOVECTOR, fill, n, a, apart, alone, room<T>(size), size,
                  info));
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) MUST(std::fabs(alone[i] - w[i]) < 20 * tolerance<T>);

    std::copy(copy, copy + 2 * apart * apart, a);
    syevjInfo_t params;
    OK(cusolverDnCreateSyevjInfo(&params));
    OK(cusolverDnXsyevjSetTolerance(params, 1e-7));
    OK(cusolverDnXsyevjSetMaxSweeps(params, 15));
    OK(cusolverDnXsyevjSetSortEig(params, 1));
    OK(Names::evj_size(h, with, fill, n, a, apart, w, &size, params));
    OK(Names::evj(h, with, fill, n, a, apart, w, room<T>(size), size, info, params));
    double residual = -1;
    int sweeps = -1;
    OK(cusolverDnXsyevjGetResidual(h, params, &residual));
    OK(cusolverDnXsyevjGetSweeps(h, params, &sweeps));
    MUST(residual >= 0 && residual < 1e-10 && sweeps >= 0);
    cudaDeviceSynchronize();
    check_vectors(whole, a, w, n);

    std::copy(copy, copy + 2 * apart * apart, a);
    const auto second = whole_of(a + n * apart, fill, n);
    OK(Names::evj_all_size(h, with, fill, n, a, apart, w, &size, params, 2));
    OK(Names::evj_all(h, with, fill, n, a, apart, w, room<T>(size), size, info, params, 2));
    cudaDeviceSynchronize();
    MUST(info[0] == 0 && info[1] == 0);
    check_vectors(whole, a, w, n);
    check_vectors(second, a + n * apart, w + n, n);

    // In a pair with B, which is made positive.
    std::copy(copy, copy + 2 * apart * apart, a);
    T* b = random_matrix<T>();
    for (int i = 0; i < n; ++i) set(b[i + i * apart], 2.0 * n);
    const auto other = whole_of(b, fill, n);
    OK(Names::gvd_size(h, CUSOLVER_EIG_TYPE_1, with, fill, n, a, apart, b, apart, w, &size));
    OK(Names::gvd(h, CUSOLVER_EIG_TYPE_1, with, fill, n, a, apart, b, apart, w, room<T>(size), size,
                  info));
    cudaDeviceSynchronize();
    MUST(info[0] == 0);
    check_vectors(whole, a, w, n, &other);
    std::copy(copy, copy + 2 * apart * apart, a);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) set(b[i + j * apart], other[i + j * apart]);
    OK(Names::gvj_size(h, CUSOLVER_EIG_TYPE_1, with, fill, n, a, apart, b, apart, w, &size,
                       params));
    OK(Names::gvj(h, CUSOLVER_EIG_TYPE_1, with, fill, n, a, apart, b, apart, w, room<T>(size), size,
                  info, params));
    cudaDeviceSynchronize();
    MUST(info[0] == 0);
    check_vectors(whole, a, w, n, &other);
    OK(cusolverDnDestroySyevjInfo(params));
    set(b[0], -1);
    OK(Names::gvd(h, CUSOLVER_EIG_TYPE_1, with, fill, n, a, apart, b, apart, w, room<T>(size), size,
                  info));
    cudaDeviceSynchronize();
    MUST(info[0] == n + 1);
}

static void other_pairs() {
    constexpr int n = 6;
    for (const auto type : {CUSOLVER_EIG_TYPE_2, CUSOLVER_EIG_TYPE_3}) {
        double *a = random_matrix<double>(), *b = random_matrix<double>(), *w = managed<double>(n);
        for (int i = 0; i < n; ++i) b[i + i * apart] = 12;
        const auto fill = CUBLAS_FILL_MODE_UPPER;
        const auto first = whole_of(a, fill, n), second = whole_of(b, fill, n);
        int size = 0, *info = managed<int>(1);
        OK(cusolverDnDsygvd_bufferSize(h, type, CUSOLVER_EIG_MODE_VECTOR, fill, n, a, apart, b,
                                       apart, w, &size));
        OK(cusolverDnDsygvd(h, type, CUSOLVER_EIG_MODE_VECTOR, fill, n, a, apart, b, apart, w,
                            room<double>(size), size, info));
        cudaDeviceSynchronize();
        const auto& outer = type == CUSOLVER_EIG_TYPE_2 ? first : second;
        const auto& inner = type == CUSOLVER_EIG_TYPE_2 ? second : first;
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                number sum = -w[j] * at(a, i, j);
                for (int p = 0; p < n; ++p)
                    for (int q = 0; q < n; ++q)
                        sum += outer[i + p * apart] * inner[p + q * apart] * at(a, q, j);
                MUST(std::abs(sum) < 1e-9);
            }
    }
}

// A = U S V^H, with orthogonal columns in U and V, and values that descend.
template <class T, class R>
void check_singular(const std::vector<T>& a, const T* u, int of_u, const R* s, const T* v, int of_v,
                    bool is_adjoint, int m, int n) {
    const auto right = [&](int i, int j) {  // of V
        return is_adjoint ? std::conj(at(v, j, i)) : at(v, i, j);
    };
    const int least = std::min(m, n);
    for (int j = 0; j < least; ++j) MUST(s[j] >= 0 && (j == 0 || s[j - 1] >= s[j]));
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            number sum = -at(a, i, j);
            for (int p = 0; p < least; ++p)
                sum += at(u, i, p) * number(s[p]) * std::conj(right(j, p));
            MUST(std::abs(sum) < 20 * tolerance<T>);
        }
    for (int i = 0; i < of_u; ++i)
        for (int j = 0; j < of_u; ++j) {
            number sum = i == j ? -1 : 0;
            for (int p = 0; p < m; ++p) sum += std::conj(at(u, p, i)) * at(u, p, j);
            MUST(std::abs(sum) < 20 * tolerance<T>);
        }
    for (int i = 0; i < of_v; ++i)
        for (int j = 0; j < of_v; ++j) {
            number sum = i == j ? -1 : 0;
            for (int p = 0; p < n; ++p) sum += std::conj(right(p, i)) * right(p, j);
            MUST(std::abs(sum) < 20 * tolerance<T>);
        }
}

#define SINGULAR(T_, R_, letter)                                                 \
    struct letter##_names {                                                      \
        using T = T_;                                                            \
        using R = R_;                                                            \
        static constexpr auto svd_size = cusolverDn##letter##gesvd_bufferSize;   \
        static constexpr auto svd = cusolverDn##letter##gesvd;                   \
        static constexpr auto svdj_size = cusolverDn##letter##gesvdj_bufferSize; \
        static constexpr auto svdj = cusolverDn##letter##gesvdj;                 \
        static constexpr auto svdj_all = cusolverDn##letter##gesvdjBatched;      \
    };
SINGULAR(float, float, S)
SINGULAR(double, double, D)
SINGULAR(cuComplex, float, C)
SINGULAR(cuDoubleComplex, double, Z)

template <class Names>
void singular_values(int m, int n, bool lacks_rank) {
    using T = typename Names::T;
    using R = typename Names::R;
    T *a = random_matrix<T>(), *u = managed<T>(apart * apart), *v = managed<T>(apart * apart);
    if (lacks_rank)
        for (int i = 0; i < m; ++i) a[i + apart] = a[i], set(a[i + 2 * apart], 0);
    const std::vector<T> was(a, a + apart * apart);
    R* s = managed<R>(apart);
    int size = 0, *info = managed<int>(1);
    info[0] = -7;
    const int least = std::min(m, n);
    if (m >= n) {
        OK(Names::svd_size(h, m, n, &size));
        T* work = room<T>(size);
        for (const char of_u : {'A', 'S', 'O'}) {
            std::copy(was.begin(), was.end(), a);
            OK(Names::svd(h, of_u, 'A', m, n, a, apart, s, u, apart, v, apart, work, size, nullptr,
                          info));
            cudaDeviceSynchronize();
            MUST(info[0] == 0);
            check_singular(was, of_u == 'O' ? a : u, of_u == 'A' ? m : n, s, v, n, true, m, n);
        }
        const std::vector<R> values(s, s + n);
        std::copy(was.begin(), was.end(), a);
        OK(Names::svd(h, 'N', 'N', m, n, a, apart, s, nullptr, apart, nullptr, apart, work, size,
                      nullptr, info));
        cudaDeviceSynchronize();
        for (int i = 0; i < n; ++i) MUST(std::fabs(s[i] - values[i]) < 20 * tolerance<T>);
    } else {
        MUST(Names::svd_size(h, m, n, &size) == CUSOLVER_STATUS_INVALID_VALUE);
    }
    gesvdjInfo_t params;
    OK(cusolverDnCreateGesvdjInfo(&params));
    OK(cusolverDnXgesvdjSetTolerance(params, 1e-7));
    OK(cusolverDnXgesvdjSetMaxSweeps(params, 15));
    for (const int economic : {0, 1}) {
        std::copy(was.begin(), was.end(), a);
        OK(Names::svdj_size(h, CUSOLVER_EIG_MODE_VECTOR, economic, m, n, a, apart, s, u, apart, v,
                            apart, &size, params));
        OK(Names::svdj(h, CUSOLVER_EIG_MODE_VECTOR, economic, m, n, a, apart, s, u, apart, v, apart,
                       room<T>(size), size, info, params));
        cudaDeviceSynchronize();
        MUST(info[0] == 0);
        check_singular(was, u, economic ? least : m, s, v, economic ? least : n, false, m, n);
    }
    MUST(Names::svdj(h, CUSOLVER_EIG_MODE_VECTOR, 0, m, n, a, apart, s, u, m - 1, v, apart, nullptr,
                     0, info, params) == CUSOLVER_STATUS_INVALID_VALUE);
    // Two at once: the matrices of a batch lie a whole one apart.
    T *pair = random_matrix<T>(2), *us = managed<T>(2 * apart * apart),
      *vs = managed<T>(2 * apart * apart);
    const std::vector<T> pair_was(pair, pair + 2 * apart * apart);
    R* values = managed<R>(2 * apart);
    int* infos = managed<int>(2);
    infos[0] = infos[1] = -7;
    OK(Names::svdj_all(h, CUSOLVER_EIG_MODE_VECTOR, m, n, pair, apart, values, us, apart, vs, apart,
                       room<T>(size), size, infos, params, 2));
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; ++i) {
        MUST(infos[i] == 0);
        const std::vector<T> one(pair_was.begin() + i * apart * n, pair_was.end());
        check_singular(one, us + i * apart * m, m, values + i * least, vs + i * apart * n, n, false,
                       m, n);
    }
    OK(cusolverDnDestroyGesvdjInfo(params));
}

// NaN gives no values.
static void not_numbers() {
    constexpr int n = 300;
    double *a = managed<double>(n * n), *s = managed<double>(n), *u = managed<double>(n * n);
    int size = 0, *info = managed<int>(1);
    std::fill(a, a + n * n, NAN);
    info[0] = -7;
    OK(cusolverDnDgesvd_bufferSize(h, n, n, &size));
    OK(cusolverDnDgesvd(h, 'A', 'N', n, n, a, n, s, u, n, nullptr, n, room<double>(size), size,
                        nullptr, info));
    cudaDeviceSynchronize();
    MUST(info[0] == 1 && std::isnan(s[0]));
    std::fill(a, a + n * n, NAN);
    OK(cusolverDnDsyevd_bufferSize(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, a, n, s,
                                   &size));
    OK(cusolverDnDsyevd(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, a, n, s,
                        room<double>(size), size, info));
    cudaDeviceSynchronize();
    MUST(std::isnan(s[0]));
}

static void with_64_bits() {
    constexpr int m = 9, n = 7;
    cuDoubleComplex *a = random_matrix<cuDoubleComplex>(),
                    *u = managed<cuDoubleComplex>(apart * apart),
                    *v = managed<cuDoubleComplex>(apart * apart);
    const std::vector<cuDoubleComplex> was(a, a + apart * apart);
    double* s = managed<double>(apart);
    std::size_t device = 0, host = 0;
    int* info = managed<int>(1);
    OK(cusolverDnXgesvd_bufferSize(h, nullptr, 'S', 'S', m, n, CUDA_C_64F, a, apart, CUDA_R_64F, s,
                                   CUDA_C_64F, u, apart, CUDA_C_64F, v, apart, CUDA_C_64F, &device,
                                   &host));
    OK(cusolverDnXgesvd(h, nullptr, 'S', 'S', m, n, CUDA_C_64F, a, apart, CUDA_R_64F, s, CUDA_C_64F,
                        u, apart, CUDA_C_64F, v, apart, CUDA_C_64F,
                        room<char>(static_cast<int>(device)), device, nullptr, host, info));
    cudaDeviceSynchronize();
    check_singular(was, u, n, s, v, n, true, m, n);
    std::copy(was.begin(), was.end(), a);
    const auto whole = whole_of(a, CUBLAS_FILL_MODE_UPPER, n);
    OK(cusolverDnXsyevd(h, nullptr, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, CUDA_C_64F,
                        a, apart, CUDA_R_64F, s, CUDA_C_64F, nullptr, 0, nullptr, 0, info));
    cudaDeviceSynchronize();
    check_vectors(whole, a, s, n);
    std::copy(was.begin(), was.end(), a);
    double error = -1;
    info[0] = -7;
    OK(cusolverDnXgesvdp(h, nullptr, CUSOLVER_EIG_MODE_VECTOR, 1, m, n, CUDA_C_64F, a, apart,
                         CUDA_R_64F, s, CUDA_C_64F, u, apart, CUDA_C_64F, v, apart, CUDA_C_64F,
                         nullptr, 0, nullptr, 0, info, &error));
    cudaDeviceSynchronize();
    MUST(info[0] == 0 && error >= 0);
    check_singular(was, u, n, s, v, n, false, m, n);
    std::copy(was.begin(), was.end(), a);
    const auto second = whole_of(a + n * apart, CUBLAS_FILL_MODE_UPPER, n);
    int* infos = managed<int>(2);
    infos[0] = infos[1] = -7;
    OK(cusolverDnXsyevBatched(h, nullptr, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n,
                              CUDA_C_64F, a, apart, CUDA_R_64F, s, CUDA_C_64F, nullptr, 0, nullptr,
                              0, infos, 2));
    cudaDeviceSynchronize();
    MUST(infos[0] == 0 && infos[1] == 0);
    check_vectors(whole, a, s, n);
    check_vectors(second, a + n * apart, s + n, n);
}

int main() {
    std::printf("seed %u\n", seed);
    OK(cusolverDnCreate(&h));
    for (const auto fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
        for (const int n : {1, 2, 12}) {
            eigenvalues<Ssy_names>(fill, n);
            eigenvalues<Dsy_names>(fill, n);
            eigenvalues<Che_names>(fill, n);
            eigenvalues<Zhe_names>(fill, n);
        }
    other_pairs();
    for (const bool lacks_rank : {false, true}) {
        singular_values<S_names>(11, 6, lacks_rank);
        singular_values<D_names>(11, 6, lacks_rank);
        singular_values<D_names>(7, 7, lacks_rank);
        singular_values<D_names>(5, 14, lacks_rank);
        singular_values<C_names>(6, 9, lacks_rank);
        singular_values<Z_names>(11, 6, lacks_rank);
        singular_values<Z_names>(6, 11, lacks_rank);
    }
    with_64_bits();
    not_numbers();
    OK(cusolverDnDestroy(h));
    return verdict();
}
