// cuSOLVER's systems and least squares in one call in all pairs of precisions, exchanges of rows,
// parts of Q, wide QR, pairs of Hermitian matrices of all three types, and the calls with 64-bit
// sizes of Cholesky and QR, by their residuals in double.
#include <cusolverDn.h>

#include <algorithm>

#include "complex_numbers.h"

/// For residuals of matrices of ten rows whose numbers are up to 1.
template <class T>
constexpr double tolerance = is_float<T> ? 2e-4 : 1e-11;
template <class T>
using real_of = std::conditional_t<is_float<T>, float, double>;

static unsigned random_state = 20263;
static double any() {
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) / 8388608.0 - 1;
}

constexpr int apart = 13, room = apart * apart, columns = 3;
static cusolverDnHandle_t h;

using values = std::vector<number>;
template <class T>
T* random_matrix(double diagonal = 0) {
    T* p = managed<T>(room);
    for (int i = 0; i < room; ++i)
        p[i] = made<T>(number(any(), any()) + (i % (apart + 1) == 0 ? diagonal : 0.0));
    return p;
}
template <class T>
values now(const T* p) {
    cudaDeviceSynchronize();
    values out;
    for (int i = 0; i < room; ++i) out.push_back(get(p[i]));
    return out;
}
static number at(const values& a, int i, int j) { return a[i + j * apart]; }
/// A B, of which `inner` numbers are summed.
static values product(const values& a, const values& b, int rows, int inner, int width) {
    values out(room);
    for (int j = 0; j < width; ++j)
        for (int i = 0; i < rows; ++i)
            for (int p = 0; p < inner; ++p) out[i + j * apart] += at(a, i, p) * at(b, p, j);
    return out;
}
static values adjoint(const values& a) {
    values out(room);
    for (int j = 0; j < apart; ++j)
        for (int i = 0; i < apart; ++i) out[j + i * apart] = std::conj(at(a, i, j));
    return out;
}
static double difference(const values& a, const values& b, int rows, int width) {
    double most = 0;
    for (int j = 0; j < width; ++j)
        for (int i = 0; i < rows; ++i) {
            const double own = std::abs(at(a, i, j) - at(b, i, j));
            if (!(own <= most)) most = own;
        }
    return most;
}
static int* info() {
    static int* const info = managed<int>(2);
    cudaDeviceSynchronize();
    info[0] = info[1] = -7;
    return info;
}
static int reported(int* info) {
    cudaDeviceSynchronize();
    return info[0];
}

template <class T, class GesvSize, class Gesv, class GelsSize, class Gels>
void in_one_call(const GesvSize& gesv_size, const Gesv& gesv, const GelsSize& gels_size,
                 const Gels& gels) {
    constexpr int m = 10, n = 7;
    T *a = random_matrix<T>(5), *b = random_matrix<T>(), *x = random_matrix<T>();
    const values A = now(a), B = now(b);
    int *pivots = managed<int>(n), iterations = -99, *report = info();
    std::size_t bytes = 0;
    OK(gesv_size(h, n, columns, a, apart, pivots, b, apart, x, apart, nullptr, &bytes));
    MUST(bytes > 0);
    void* work = managed<char>(bytes);
    OK(gesv(h, n, columns, a, apart, pivots, b, apart, x, apart, work, bytes, &iterations, report));
    MUST(reported(report) == 0 && iterations != -99);
    MUST(difference(product(A, now(x), n, n, columns), B, n, columns) < tolerance<T>);
    T *tall = random_matrix<T>(3), *y = random_matrix<T>();
    const values tall_was = now(tall);
    report = info();
    OK(gels_size(h, m, n, columns, tall, apart, b, apart, y, apart, nullptr, &bytes));
    MUST(bytes > 0);
    work = managed<char>(bytes);
    OK(gels(h, m, n, columns, tall, apart, b, apart, y, apart, work, bytes, &iterations, report));
    MUST(reported(report) == 0);
    // The residual is orthogonal to A's columns: A^H A X = A^H B.
    const values back = adjoint(tall_was);
    MUST(difference(product(back, product(tall_was, now(y), m, n, columns), n, m, columns),
                    product(back, B, n, m, columns), n, columns) < 10 * tolerance<T>);
}
#define IN_ONE_CALL(T, letters)                                                     \
    in_one_call<T>(cusolverDn##letters##gesv_bufferSize, cusolverDn##letters##gesv, \
                   cusolverDn##letters##gels_bufferSize, cusolverDn##letters##gels)

template <class T, class Laswp>
void exchanges(const Laswp& laswp) {
    T* a = random_matrix<T>();
    const values was = now(a);
    values wanted = was;
    int* pivots = managed<int>(8);
    const int list[] = {9, 9, 5, 3, 5, 8, 9, 9};  // rows 3 to 6 are exchanged; one with itself
    std::copy(list, list + 8, pivots);
    for (int k = 2; k < 6; ++k)
        for (int j = 0; j < 4; ++j)
            std::swap(wanted[k + j * apart], wanted[list[k] - 1 + j * apart]);
    OK(laswp(h, 4, a, apart, 3, 6, pivots, 1));
    MUST(now(a) == wanted);
    OK(laswp(h, 4, a, apart, 3, 6, pivots, -1));  // and back
    MUST(now(a) == was);
}

// The Hermitian matrix of which one triangle is given.
template <class T>
values whole(const T* a, cublasFillMode_t fill) {
    values out = now(a);
    for (int j = 0; j < apart; ++j)
        for (int i = 0; i < apart; ++i) {
            const bool is_there = fill == CUBLAS_FILL_MODE_LOWER ? i > j : i < j;
            if (is_there) out[j + i * apart] = std::conj(at(out, i, j));
            if (i == j) out[i + i * apart] = at(out, i, i).real();
        }
    return out;
}

template <class T, class Size, class Gvd, class JacobiSize, class Gvj>
void pairs(const Size& gvd_size, const Gvd& gvd, const JacobiSize& gvj_size, const Gvj& gvj) {
    constexpr int n = 6;
    const auto mode = CUSOLVER_EIG_MODE_VECTOR;
    auto* w = managed<real_of<T>>(n);
    syevjInfo_t params;
    OK(cusolverDnCreateSyevjInfo(&params));
    for (const auto type : {CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_TYPE_2, CUSOLVER_EIG_TYPE_3})
        for (const auto fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
            for (const bool by_jacobi : {false, true}) {
                T *a = random_matrix<T>(), *b = random_matrix<T>(8);
                const values A = whole(a, fill), B = whole(b, fill);
                int size = 0, *report = info();
                if (by_jacobi) {
                    OK(gvj_size(h, type, mode, fill, n, a, apart, b, apart, w, &size, params));
                    OK(gvj(h, type, mode, fill, n, a, apart, b, apart, w, managed<T>(size), size,
                           report, params));
                } else {
                    OK(gvd_size(h, type, mode, fill, n, a, apart, b, apart, w, &size));
                    OK(gvd(h, type, mode, fill, n, a, apart, b, apart, w, managed<T>(size), size,
                           report));
                }
                MUST(size > 0 && reported(report) == 0);
                const values x = now(a);
                values scaled = x;
                for (int j = 0; j < n; ++j)
                    for (int i = 0; i < n; ++i) scaled[i + j * apart] *= double(w[j]);
                // A x = l B x, A B x = l x or B A x = l x; the vectors are of length 1 by B, and
                // by its inverse for the third.
                const values Ax = product(A, x, n, n, n), Bx = product(B, x, n, n, n);
                const double off = type == CUSOLVER_EIG_TYPE_1
                                       ? difference(Ax, product(B, scaled, n, n, n), n, n)
                                   : type == CUSOLVER_EIG_TYPE_2
                                       ? difference(product(A, Bx, n, n, n), scaled, n, n)
                                       : difference(product(B, Ax, n, n, n), scaled, n, n);
                MUST(off < 20 * tolerance<T>);
                for (int j = 0; j + 1 < n; ++j) MUST(w[j] <= w[j + 1]);
                values unit(room);
                for (int i = 0; i < n; ++i)  // of type 3, x^H A x = l x^H B^-1 x = l
                    unit[i + i * apart] = type == CUSOLVER_EIG_TYPE_3 ? double(w[i]) : 1;
                MUST(difference(product(adjoint(x), type == CUSOLVER_EIG_TYPE_3 ? Ax : Bx, n, n, n),
                                unit, n, n) < 20 * tolerance<T>);
            }
    OK(cusolverDnDestroySyevjInfo(params));
}

// k of the reflectors make fewer columns of Q than there are; Q of a wide matrix is square.
template <class T, class Geqrf, class Gqr, class Mqr>
void parts_of_q(const Geqrf& geqrf, const Gqr& gqr, const Mqr& mqr) {
    constexpr int m = 9, n = 7, k = 4, wide = 11;
    T *a = random_matrix<T>(), *tau = managed<T>(apart), *work = managed<T>(room);
    T *q = random_matrix<T>(), *c = random_matrix<T>();
    OK(geqrf(h, m, n, a, apart, tau, work, room, info()));
    values unit(room);
    for (int i = 0; i < m; ++i) unit[i + i * apart] = 1;
    // All of Q from k reflectors, as a product with the unit matrix.
    for (int i = 0; i < room; ++i) q[i] = made<T>(unit[i]);
    OK(mqr(h, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, m, m, k, a, apart, tau, q, apart, work, room, info()));
    const values Q = now(q), C = now(c);
    MUST(difference(product(adjoint(Q), Q, m, m, m), unit, m, m) < tolerance<T>);
    std::copy(a, a + room, q);
    OK(gqr(h, m, n, k, q, apart, tau, work, room, info()));
    MUST(difference(now(q), Q, m, n) < tolerance<T>);
    const auto turned = is_pair<T> ? CUBLAS_OP_C : CUBLAS_OP_T;
    OK(mqr(h, CUBLAS_SIDE_RIGHT, turned, columns, m, k, a, apart, tau, c, apart, work, room,
           info()));
    MUST(difference(now(c), product(C, adjoint(Q), columns, m, m), columns, m) < tolerance<T>);
    T* flat = random_matrix<T>();
    const values before = now(flat);
    OK(geqrf(h, k, wide, flat, apart, tau, work, room, info()));
    values r = now(flat);
    std::copy(flat, flat + room, q);
    OK(gqr(h, k, k, k, q, apart, tau, work, room, info()));
    for (int j = 0; j < wide; ++j)
        for (int i = j + 1; i < k; ++i) r[i + j * apart] = 0;
    MUST(difference(product(now(q), r, k, k, wide), before, k, wide) < tolerance<T>);
}

template <class T>
void with_64_bits() {
    constexpr int m = 10, n = 7;
    const cudaDataType type = type_of<T>;
    cusolverDnParams_t params;
    OK(cusolverDnCreateParams(&params));
    OK(cusolverDnSetAdvOptions(params, CUSOLVERDN_GETRF, CUSOLVER_ALG_0));
    std::size_t device = 0, host = 0;
    std::vector<char> own;
    const auto rooms = [&](cusolverStatus_t status) {
        MUST(status == CUSOLVER_STATUS_SUCCESS && device > 0);
        own.resize(host + 1);
        return managed<char>(device);
    };
    for (const auto fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
        T *a = random_matrix<T>(9), *b = random_matrix<T>();
        const values A = whole(a, fill), B = now(b);
        void* work = rooms(
            cusolverDnXpotrf_bufferSize(h, params, fill, n, type, a, apart, type, &device, &host));
        int* report = info();
        OK(cusolverDnXpotrf(h, params, fill, n, type, a, apart, type, work, device, own.data(),
                            host, report));
        MUST(reported(report) == 0);
        OK(cusolverDnXpotrs(h, params, fill, n, columns, type, a, apart, type, b, apart, report));
        MUST(reported(report) == 0);
        MUST(difference(product(A, now(b), n, n, columns), B, n, columns) < tolerance<T>);
        a[2 + 2 * apart] = made<T>(-1);
        a[0] = made<T>(4), a[1 + apart] = made<T>(4);
        OK(cusolverDnXpotrf(h, params, fill, n, type, a, apart, type, work, device, own.data(),
                            host, report));
        MUST(reported(report) == 3);  // the first minor that is not positive
    }
    T *a = random_matrix<T>(), *tau = managed<T>(n);
    const values A = now(a);
    int* report = info();
    void* work = rooms(cusolverDnXgeqrf_bufferSize(h, params, m, n, type, a, apart, type, tau, type,
                                                   &device, &host));
    OK(cusolverDnXgeqrf(h, params, m, n, type, a, apart, type, tau, type, work, device, own.data(),
                        host, report));
    MUST(reported(report) == 0);
    // A^H A = R^H R.
    values r = now(a);
    for (int j = 0; j < n; ++j)
        for (int i = j + 1; i < m; ++i) r[i + j * apart] = 0;
    MUST(difference(product(adjoint(r), r, n, m, n), product(adjoint(A), A, n, m, n), n, n) <
         10 * tolerance<T>);
    auto* w = managed<real_of<T>>(2 * n);
    const cudaDataType real = is_float<T> ? CUDA_R_32F : CUDA_R_64F;
    const auto mode = CUSOLVER_EIG_MODE_VECTOR;
    const auto fill = CUBLAS_FILL_MODE_LOWER;
    rooms(cusolverDnXsyevd_bufferSize(h, params, mode, fill, n, type, a, apart, real, w, type,
                                      &device, &host));
    rooms(cusolverDnXsyevBatched_bufferSize(h, params, mode, fill, n, type, a, apart, real, w, type,
                                            &device, &host, 2));
    rooms(cusolverDnXgesvdp_bufferSize(h, params, mode, 1, m, n, type, a, apart, real, w, type, tau,
                                       apart, type, tau, apart, type, &device, &host));
    OK(cusolverDnDestroyParams(params));
}

#define REST(T, letter, pair, unitary)                                                           \
    exchanges<T>(cusolverDn##letter##laswp);                                                     \
    pairs<T>(cusolverDn##letter##pair##gvd_bufferSize, cusolverDn##letter##pair##gvd,            \
             cusolverDn##letter##pair##gvj_bufferSize, cusolverDn##letter##pair##gvj);           \
    parts_of_q<T>(cusolverDn##letter##geqrf, cusolverDn##letter##unitary##gqr,                   \
                  cusolverDn##letter##unitary##mqr);                                             \
    with_64_bits<T>();                                                                           \
    OK(cusolverDn##letter##gesvdjBatched_bufferSize(h, CUSOLVER_EIG_MODE_VECTOR, 6, 5,           \
                                                    (T*)nullptr, apart, nullptr, nullptr, apart, \
                                                    nullptr, apart, &size, params, 2));          \
    MUST(size > 0)

int main() {
    OK(cusolverDnCreate(&h));
    IN_ONE_CALL(float, SS), IN_ONE_CALL(float, SH), IN_ONE_CALL(float, SB), IN_ONE_CALL(float, SX);
    IN_ONE_CALL(double, DD), IN_ONE_CALL(double, DS), IN_ONE_CALL(double, DH);
    IN_ONE_CALL(double, DB), IN_ONE_CALL(double, DX);
    IN_ONE_CALL(cuComplex, CC), IN_ONE_CALL(cuComplex, CK), IN_ONE_CALL(cuComplex, CE);
    IN_ONE_CALL(cuComplex, CY), IN_ONE_CALL(cuDoubleComplex, ZZ), IN_ONE_CALL(cuDoubleComplex, ZC);
    IN_ONE_CALL(cuDoubleComplex, ZK), IN_ONE_CALL(cuDoubleComplex, ZE);
    IN_ONE_CALL(cuDoubleComplex, ZY);
    int size = 0, version = 0, sweeps = -1;
    double residual = -1;
    gesvdjInfo_t params;
    OK(cusolverDnCreateGesvdjInfo(&params));
    OK(cusolverDnXgesvdjSetSortEig(params, 1));
    REST(float, S, sy, or);
    REST(double, D, sy, or);
    REST(cuComplex, C, he, un);
    REST(cuDoubleComplex, Z, he, un);
    double *a = random_matrix<double>(), *s = managed<double>(5), *u = random_matrix<double>();
    int* report = info();
    OK(cusolverDnDgesvdj(h, CUSOLVER_EIG_MODE_VECTOR, 1, 6, 5, a, apart, s, u, apart,
                         random_matrix<double>(), apart, managed<double>(10000), 10000, report,
                         params));
    MUST(reported(report) == 0);
    OK(cusolverDnXgesvdjGetResidual(h, params, &residual));
    OK(cusolverDnXgesvdjGetSweeps(h, params, &sweeps));
    MUST(residual >= 0 && residual < 1e-10 && sweeps > 0);
    OK(cusolverDnDestroyGesvdjInfo(params));
    OK(cusolverGetVersion(&version));
    MUST(version == CUSOLVER_VERSION);
    cusolverDeterministicMode_t mode;
    OK(cusolverDnGetDeterministicMode(h, &mode));
    MUST(mode == CUSOLVER_DETERMINISTIC_RESULTS);
    OK(cusolverDnSetDeterministicMode(h, CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS));
    OK(cusolverDnGetDeterministicMode(h, &mode));
    MUST(mode == CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS);
    OK(cusolverDnDestroy(h));
    return verdict();
}
