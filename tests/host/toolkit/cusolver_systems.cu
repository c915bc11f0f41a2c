// cuSOLVER on systems of equations: LU, Cholesky and QR, by their residuals over random matrices.
#include <cusolverDn.h>

#include <cstdio>
#include <random>

#include "complex_numbers.h"

constexpr unsigned seed = 20253;
static std::mt19937 source(seed);
static cusolverDnHandle_t h;

static double any() { return std::uniform_real_distribution<double>(-1, 1)(source); }

constexpr int m = 13, n = 9, columns = 3, apart = 15;

template <class T>
T* random_matrix() {
    T* p = managed<T>(apart * apart);
    for (int i = 0; i < apart * apart; ++i) set(p[i], {any(), any()});
    return p;
}
template <class T>
std::vector<T> copy(const T* p) {
    return {p, p + apart * apart};
}
template <class T>
number at(const T& a, int i, int j, cublasOperation_t op = CUBLAS_OP_N) {
    if (op == CUBLAS_OP_N) return get(a[i + j * apart]);
    return op == CUBLAS_OP_C ? std::conj(get(a[j + i * apart])) : get(a[j + i * apart]);
}
static bool is_in(cublasFillMode_t fill, int i, int j) {
    return fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
}
template <class T>
int* info_of() {
    static int* const info = managed<int>(4);
    info[0] = 99;
    return info;
}
template <class T>
T* room(int size) {
    MUST(size > 0);
    return managed<T>(static_cast<std::size_t>(size));
}

// The names of one type of numbers.
#define NAMES(T_, letter, unitary, eps)                                               \
    struct letter##_names {                                                           \
        using T = T_;                                                                 \
        static constexpr double tolerance = eps;                                      \
        static constexpr auto getrf_size = cusolverDn##letter##getrf_bufferSize;      \
        static constexpr auto getrf = cusolverDn##letter##getrf;                      \
        static constexpr auto getrs = cusolverDn##letter##getrs;                      \
        static constexpr auto potrf_size = cusolverDn##letter##potrf_bufferSize;      \
        static constexpr auto potrf = cusolverDn##letter##potrf;                      \
        static constexpr auto potrs = cusolverDn##letter##potrs;                      \
        static constexpr auto potri_size = cusolverDn##letter##potri_bufferSize;      \
        static constexpr auto potri = cusolverDn##letter##potri;                      \
        static constexpr auto potrf_all = cusolverDn##letter##potrfBatched;           \
        static constexpr auto potrs_all = cusolverDn##letter##potrsBatched;           \
        static constexpr auto geqrf_size = cusolverDn##letter##geqrf_bufferSize;      \
        static constexpr auto geqrf = cusolverDn##letter##geqrf;                      \
        static constexpr auto gqr_size = cusolverDn##letter##unitary##gqr_bufferSize; \
        static constexpr auto gqr = cusolverDn##letter##unitary##gqr;                 \
        static constexpr auto mqr_size = cusolverDn##letter##unitary##mqr_bufferSize; \
        static constexpr auto mqr = cusolverDn##letter##unitary##mqr;                 \
    };
NAMES(float, S, or, 2e-3)
NAMES(double, D, or, 1e-10)
NAMES(cuComplex, C, un, 2e-3)
NAMES(cuDoubleComplex, Z, un, 1e-10)

template <class Names>
void by_lu() {
    using T = typename Names::T;
    T *a = random_matrix<T>(), *b = random_matrix<T>();
    for (int i = 0; i < n; ++i) set(a[i + i * apart], get(a[i + i * apart]) + number(3));
    const auto was = copy(a);
    int size = 0, *pivots = managed<int>(n), *info = info_of<T>();
    OK(Names::getrf_size(h, m, n, a, apart, &size));
    T* work = room<T>(size);
    OK(Names::getrf(h, n, n, a, apart, work, pivots, info));
    cudaDeviceSynchronize();
    MUST(info[0] == 0);
    for (const auto op : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
        const auto right = copy(b);
        OK(Names::getrs(h, op, n, columns, a, apart, pivots, b, apart, info));
        cudaDeviceSynchronize();
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < columns; ++j) {
                number sum = -at(right, i, j);
                for (int p = 0; p < n; ++p) sum += at(was, i, p, op) * at(b, p, j);
                MUST(std::abs(sum) < Names::tolerance);
            }
    }
    // A tall one: P A = L U. One that is singular.
    a = random_matrix<T>();
    const auto tall = copy(a);
    OK(Names::getrf(h, m, n, a, apart, work, pivots, info));
    cudaDeviceSynchronize();
    std::vector<int> rows(m);
    for (int i = 0; i < m; ++i) rows[i] = i;
    for (int k = 0; k < n; ++k) std::swap(rows[k], rows[pivots[k] - 1]);
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            number sum = -at(tall, rows[i], j);
            for (int p = 0; p <= std::min(i, j); ++p)
                sum += (p == i ? number(1) : at(a, i, p)) * at(a, p, j);
            MUST(std::abs(sum) < Names::tolerance && (i <= j || std::abs(at(a, i, j)) < 2));
        }
    for (int j = 0; j < n; ++j) set(a[2 + j * apart], 0);
    for (int i = 0; i < n; ++i) set(a[i + 2 * apart], 0);
    OK(Names::getrf(h, n, n, a, apart, work, nullptr, info));
    cudaDeviceSynchronize();
    MUST(info[0] == 3);
    MUST(Names::getrf(h, n, n, a, n - 1, work, nullptr, info) == CUSOLVER_STATUS_INVALID_VALUE);
    MUST(Names::getrf(nullptr, n, n, a, n, work, nullptr, info) == CUSOLVER_STATUS_NOT_INITIALIZED);
}

// X^H X + 1, in one triangle; the other is not read.
template <class T>
T* positive(cublasFillMode_t fill, std::vector<number>& whole) {
    T *x = random_matrix<T>(), *a = random_matrix<T>();
    whole.assign(apart * apart, 0);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            number sum = i == j ? 1 : 0;
            for (int p = 0; p < n; ++p) sum += std::conj(at(x, p, i)) * at(x, p, j);
            if (is_in(fill, i, j)) set(a[i + j * apart], sum);
            whole[i + j * apart] = sum;
        }
    return a;
}

template <class Names>
void by_cholesky(cublasFillMode_t fill) {
    using T = typename Names::T;
    std::vector<number> whole;
    T *a = positive<T>(fill, whole), *b = random_matrix<T>();
    const auto right = copy(b);
    const auto was = copy(a);
    int size = 0, *info = info_of<T>();
    OK(Names::potrf_size(h, fill, n, a, apart, &size));
    OK(Names::potrf(h, fill, n, a, apart, room<T>(size), size, info));
    cudaDeviceSynchronize();
    MUST(info[0] == 0);
    OK(Names::potrs(h, fill, n, columns, a, apart, b, apart, info));
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < columns; ++j) {
            number sum = -at(right, i, j);
            for (int p = 0; p < n; ++p) sum += whole[i + p * apart] * at(b, p, j);
            MUST(std::abs(sum) < Names::tolerance);
        }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            if (!is_in(fill, i, j)) MUST(at(a, i, j) == at(was, i, j));
    OK(Names::potri_size(h, fill, n, a, apart, &size));
    OK(Names::potri(h, fill, n, a, apart, room<T>(size), size, info));
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            number sum = i == j ? -1 : 0;
            for (int p = 0; p < n; ++p)
                sum += whole[i + p * apart] *
                       (is_in(fill, p, j) ? at(a, p, j) : std::conj(at(a, j, p)));
            MUST(std::abs(sum) < Names::tolerance);
        }
    // Two at once; the second is not positive.
    T **as = managed<T*>(2), **bs = managed<T*>(2);
    as[0] = positive<T>(fill, whole), as[1] = positive<T>(fill, whole);
    std::vector<number> second;
    as[0] = positive<T>(fill, second);
    set(as[1][3 + 3 * apart], -5);
    bs[0] = random_matrix<T>(), bs[1] = bs[0];
    const auto side = copy(bs[0]);
    OK(Names::potrf_all(h, fill, n, as, apart, info, 2));
    cudaDeviceSynchronize();
    MUST(info[0] == 0 && info[1] == 4);
    OK(Names::potrs_all(h, fill, n, 1, as, apart, bs, apart, info, 1));
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        number sum = -at(side, i, 0);
        for (int p = 0; p < n; ++p) sum += second[i + p * apart] * at(bs[0], p, 0);
        MUST(std::abs(sum) < Names::tolerance);
    }
}

template <class Names>
void by_qr() {
    using T = typename Names::T;
    T *a = random_matrix<T>(), *tau = managed<T>(n), *q = managed<T>(apart * apart);
    const auto was = copy(a);
    int size = 0, *info = info_of<T>();
    OK(Names::geqrf_size(h, m, n, a, apart, &size));
    OK(Names::geqrf(h, m, n, a, apart, tau, room<T>(size), size, info));
    cudaDeviceSynchronize();
    MUST(info[0] == 0);
    std::copy(a, a + apart * apart, q);
    OK(Names::gqr_size(h, m, n, n, q, apart, tau, &size));
    OK(Names::gqr(h, m, n, n, q, apart, tau, room<T>(size), size, info));
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            number sum = i == j ? -1 : 0;
            for (int p = 0; p < m; ++p) sum += std::conj(at(q, p, i)) * at(q, p, j);
            MUST(std::abs(sum) < Names::tolerance);
        }
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            number sum = -at(was, i, j);
            for (int p = 0; p <= j; ++p) sum += at(q, i, p) * at(a, p, j);
            MUST(std::abs(sum) < Names::tolerance);
        }
    // All of Q, from the left and from the right, times C. Q times Q^H C is C.
    T *all = managed<T>(apart * apart), *c = random_matrix<T>();
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < m; ++j) set(all[i + j * apart], i == j);
    const auto plain = CUBLAS_OP_N;
    const auto adjoint =
        std::is_same_v<T, float> || std::is_same_v<T, double> ? CUBLAS_OP_T : CUBLAS_OP_C;
    OK(Names::mqr_size(h, CUBLAS_SIDE_LEFT, plain, m, m, n, a, apart, tau, all, apart, &size));
    T* work = room<T>(size);
    OK(Names::mqr(h, CUBLAS_SIDE_LEFT, plain, m, m, n, a, apart, tau, all, apart, work, size,
                  info));
    for (const auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT})
        for (const auto op : {plain, adjoint}) {
            cudaDeviceSynchronize();
            const auto before = copy(c);
            const int rows = side == CUBLAS_SIDE_LEFT ? m : columns;
            const int width = side == CUBLAS_SIDE_LEFT ? columns : m;
            OK(Names::mqr(h, side, op, rows, width, n, a, apart, tau, c, apart, work, size, info));
            cudaDeviceSynchronize();
            for (int i = 0; i < rows; ++i)
                for (int j = 0; j < width; ++j) {
                    number sum = -at(c, i, j);
                    for (int p = 0; p < m; ++p) {
                        const auto turned = op == plain ? CUBLAS_OP_N : CUBLAS_OP_C;
                        sum += side == CUBLAS_SIDE_LEFT ? at(all, i, p, turned) * at(before, p, j)
                                                        : at(before, i, p) * at(all, p, j, turned);
                    }
                    MUST(std::abs(sum) < Names::tolerance);
                }
        }
}

static void in_one_call() {
    double *a = random_matrix<double>(), *b = random_matrix<double>(), *x = random_matrix<double>();
    int iterations = -9, *info = info_of<double>(), *pivots = managed<int>(m);
    std::size_t bytes = 0;
    OK(cusolverDnDSgels_bufferSize(h, m, n, columns, a, apart, b, apart, x, apart, nullptr,
                                   &bytes));
    MUST(bytes > 0);
    OK(cusolverDnDSgels(h, m, n, columns, a, apart, b, apart, x, apart, room<char>(bytes), bytes,
                        &iterations, info));
    cudaDeviceSynchronize();
    MUST(info[0] == 0 && iterations >= 0);
    for (int j = 0; j < columns; ++j)
        for (int k = 0; k < n; ++k) {
            number sum = 0;
            for (int i = 0; i < m; ++i) {
                number residual = -at(b, i, j);
                for (int p = 0; p < n; ++p) residual += at(a, i, p) * at(x, p, j);
                sum += at(a, i, k) * residual;
            }
            MUST(std::abs(sum) < 1e-10);
        }
    OK(cusolverDnDDgesv(h, n, columns, a, apart, pivots, b, apart, x, apart, nullptr, 0,
                        &iterations, info));
    cudaDeviceSynchronize();
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < n; ++i) {
            number sum = -at(b, i, j);
            for (int p = 0; p < n; ++p) sum += at(a, i, p) * at(x, p, j);
            MUST(std::abs(sum) < 1e-10);
        }
}

static void with_64_bits() {
    double *a = random_matrix<double>(), *b = random_matrix<double>();
    const auto was = copy(a), right = copy(b);
    cusolverDnParams_t params;
    OK(cusolverDnCreateParams(&params));
    std::size_t device = 0, host = 0;
    auto* pivots = managed<std::int64_t>(n);
    int* info = info_of<double>();
    OK(cusolverDnXgetrf_bufferSize(h, params, n, n, CUDA_R_64F, a, apart, CUDA_R_64F, &device,
                                   &host));
    std::vector<char> own(host);
    OK(cusolverDnXgetrf(h, params, n, n, CUDA_R_64F, a, apart, pivots, CUDA_R_64F,
                        room<char>(static_cast<int>(device)), device, own.data(), host, info));
    OK(cusolverDnXgetrs(h, params, CUBLAS_OP_T, n, columns, CUDA_R_64F, a, apart, pivots,
                        CUDA_R_64F, b, apart, info));
    cudaDeviceSynchronize();
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < n; ++i) {
            number sum = -at(right, i, j);
            for (int p = 0; p < n; ++p) sum += at(was, p, i) * at(b, p, j);
            MUST(std::abs(sum) < 1e-10);
        }
    OK(cusolverDnDestroyParams(params));
}

template <class Names>
void all() {
    by_lu<Names>();
    by_cholesky<Names>(CUBLAS_FILL_MODE_LOWER);
    by_cholesky<Names>(CUBLAS_FILL_MODE_UPPER);
    by_qr<Names>();
}

int main() {
    std::printf("seed %u\n", seed);
    OK(cusolverDnCreate(&h));
    cudaStream_t stream = nullptr, told = nullptr;
    cudaStreamCreate(&stream);
    OK(cusolverDnSetStream(h, stream));
    OK(cusolverDnGetStream(h, &told));
    MUST(told == stream);
    all<S_names>();
    all<D_names>();
    all<C_names>();
    all<Z_names>();
    in_one_call();
    with_64_bits();
    OK(cusolverDnDestroy(h));
    return verdict();
}
