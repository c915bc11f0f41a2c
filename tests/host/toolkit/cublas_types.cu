// cuBLAS's levels 1 to 3 for all four types of numbers, against plain loops in double: each call
// with steps, both signs, space between columns, both triangles, all operations and factors that
// are neither 0 nor 1. All memory around the result must stay as it is.
#include <cublas_v2.h>

#include <algorithm>
#include <cstdio>

#include "complex_numbers.h"

using buffer = std::vector<number>;

static unsigned random_state = 20261;
static double any() {
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) / 8388608.0 - 1;
}

constexpr int apart = 11, room = apart * apart;
static cublasHandle_t h;

/// Managed memory of random numbers, of which diagonals are far from 0 so that triangles can be
/// solved.
template <class T>
struct memory {
    memory() {
        cudaMallocManaged(&p, room * sizeof(T));
        for (int i = 0; i < room; ++i)
            p[i] = made<T>(number(any(), any()) + (i % (apart + 1) == 0 ? 4.0 : 0.0));
    }
    ~memory() { cudaFree(p); }
    memory(const memory&) = delete;
    operator T*() const { return p; }
    buffer now() const {
        buffer out(room);
        std::transform(p, p + room, out.begin(), [](T x) { return get(x); });
        return out;
    }
    T* p;
};

template <class T>
void compare(int line, const char* letter, cublasStatus_t status, const memory<T>& got,
             const buffer& wanted) {
    cudaDeviceSynchronize();
    // Sums of at most ten products of numbers up to 6, in the precision of T.
    const double tolerance = is_float<T> ? 1e-4 : 1e-12;
    for (int i = 0; i < room; ++i) {
        if (!fails(status == CUBLAS_STATUS_SUCCESS &&
                   std::abs(get(got.p[i]) - wanted[i]) < tolerance))
            continue;
        std::printf("line %d, %s: status %d, number %d is %g %g, not %g %g\n", line, letter, status,
                    i, get(got.p[i]).real(), get(got.p[i]).imag(), wanted[i].real(),
                    wanted[i].imag());
    }
}
#define GIVES(call, got, wanted) compare(__LINE__, N::letter, call, got, wanted)

// Names of one type. `both` begins those with a real result, `real` those with a real factor; u, c
// and `he` name what is transposed or adjoint.
#define NAMES(T_, R_, L, both, small, real, u, c, he)         \
    struct L##_names {                                        \
        using T = T_;                                         \
        using R = R_;                                         \
        static constexpr const char* letter = #L;             \
        static constexpr auto axpy = cublas##L##axpy;         \
        static constexpr auto copy = cublas##L##copy;         \
        static constexpr auto swap = cublas##L##swap;         \
        static constexpr auto scal = cublas##L##scal;         \
        static constexpr auto real_scal = cublas##real##scal; \
        static constexpr auto rot = cublas##real##rot;        \
        static constexpr auto dotu = cublas##L##dot##u;       \
        static constexpr auto dotc = cublas##L##dot##c;       \
        static constexpr auto nrm2 = cublas##both##nrm2;      \
        static constexpr auto asum = cublas##both##asum;      \
        static constexpr auto amax = cublasI##small##amax;    \
        static constexpr auto amin = cublasI##small##amin;    \
        static constexpr auto gemv = cublas##L##gemv;         \
        static constexpr auto geru = cublas##L##ger##u;       \
        static constexpr auto gerc = cublas##L##ger##c;       \
        static constexpr auto symv = cublas##L##symv;         \
        static constexpr auto hemv = cublas##L##he##mv;       \
        static constexpr auto syr = cublas##L##syr;           \
        static constexpr auto her = cublas##L##he##r;         \
        static constexpr auto trmv = cublas##L##trmv;         \
        static constexpr auto trsv = cublas##L##trsv;         \
        static constexpr auto gemm = cublas##L##gemm;         \
        static constexpr auto symm = cublas##L##symm;         \
        static constexpr auto hemm = cublas##L##he##mm;       \
        static constexpr auto syrk = cublas##L##syrk;         \
        static constexpr auto herk = cublas##L##he##rk;       \
        static constexpr auto syr2k = cublas##L##syr2k;       \
        static constexpr auto trmm = cublas##L##trmm;         \
        static constexpr auto trsm = cublas##L##trsm;         \
        static constexpr auto geam = cublas##L##geam;         \
        static constexpr auto dgmm = cublas##L##dgmm;         \
    };
NAMES(float, float, S, S, s, S, , , sy)
NAMES(double, double, D, D, d, D, , , sy)
NAMES(cuComplex, float, C, Sc, c, Cs, u, c, he)
NAMES(cuDoubleComplex, double, Z, Dz, z, Zd, u, c, he)

constexpr cublasFillMode_t fills[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
constexpr cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
constexpr cublasDiagType_t diagonals[] = {CUBLAS_DIAG_UNIT, CUBLAS_DIAG_NON_UNIT};
constexpr cublasSideMode_t sides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};

static number element(const buffer& a, cublasOperation_t op, int i, int j) {
    if (op == CUBLAS_OP_N) return a[i + j * apart];
    return op == CUBLAS_OP_C ? std::conj(a[j + i * apart]) : a[j + i * apart];
}
static bool is_in(cublasFillMode_t fill, int i, int j) {
    return fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
}
/// Of op(triangle).
static number triangle(const buffer& a, cublasFillMode_t fill, cublasOperation_t op,
                       cublasDiagType_t diagonal, int i, int j) {
    if (i == j && diagonal == CUBLAS_DIAG_UNIT) return 1;
    const bool turned = op != CUBLAS_OP_N;
    return is_in(fill, turned ? j : i, turned ? i : j) ? element(a, op, i, j) : 0;
}
/// Of the symmetric or Hermitian matrix whose triangle is given.
static number whole(const buffer& a, cublasFillMode_t fill, bool hermitian, int i, int j) {
    if (hermitian && i == j) return a[i + i * apart].real();
    if (is_in(fill, i, j)) return a[i + j * apart];
    return hermitian ? std::conj(a[j + i * apart]) : a[j + i * apart];
}
template <class Each>
number sum(int n, const Each& each) {
    number total = 0;
    for (int i = 0; i < n; ++i) total += each(i);
    return total;
}
/// Calls each(i, j) for m x n elements.
template <class Each>
void elements(int m, int n, const Each& each) {
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) each(i, j);
}

/// Vectors: x in steps of 2, y backwards in steps of 3.
constexpr int n = 7, step_x = 2, step_y = -3;
static int at_x(int i) { return step_x * i; }
static int at_y(int i, int count = n) { return (count - 1 - i) * -step_y; }

template <class N>
struct test {
    using T = typename N::T;
    using R = typename N::R;
    memory<T> a, b, c, x, y;
    const T alpha = made<T>({0.7, -0.4}), beta = made<T>({-0.3, 0.9});
    const number f = get(alpha), g = get(beta);
    const R real_f = R(0.7), real_g = R(-1.25);
    const buffer A = a.now(), B = b.now();

    void vectors() {
        buffer X = x.now(), Y = y.now();
        for (int i = 0; i < n; ++i) Y[at_y(i)] += f * X[at_x(i)];
        GIVES(N::axpy(h, n, &alpha, x, step_x, y, step_y), y, Y);
        for (int i = 0; i < n; ++i) std::swap(X[at_x(i)], Y[at_y(i)]);
        OK(N::swap(h, n, x, step_x, y, step_y));
        GIVES(CUBLAS_STATUS_SUCCESS, x, X);
        GIVES(CUBLAS_STATUS_SUCCESS, y, Y);
        for (int i = 0; i < n; ++i) X[at_x(i)] *= f;
        GIVES(N::scal(h, n, &alpha, x, step_x), x, X);
        for (int i = 0; i < n; ++i) X[at_x(i)] *= number(real_g);
        GIVES(N::real_scal(h, n, &real_g, x, step_x), x, X);
        const R cosine = R(0.8), sine = R(-0.6);
        for (int i = 0; i < n; ++i) {
            const number u = X[at_x(i)], v = Y[at_y(i)];
            X[at_x(i)] = double(cosine) * u + double(sine) * v;
            Y[at_y(i)] = double(cosine) * v - double(sine) * u;
        }
        OK(N::rot(h, n, x, step_x, y, step_y, &cosine, &sine));
        GIVES(CUBLAS_STATUS_SUCCESS, x, X);
        GIVES(CUBLAS_STATUS_SUCCESS, y, Y);
        T u, v;
        OK(N::dotu(h, n, x, step_x, y, step_y, &u));
        OK(N::dotc(h, n, x, step_x, y, step_y, &v));
        MUST(std::abs(get(u) - sum(n, [&](int i) { return X[at_x(i)] * Y[at_y(i)]; })) < 1e-4);
        MUST(std::abs(get(v) - sum(n, [&](int i) { return std::conj(X[at_x(i)]) * Y[at_y(i)]; })) <
             1e-4);
        const auto size = [&](int i) {
            return std::fabs(X[at_x(i)].real()) + std::fabs(X[at_x(i)].imag());
        };
        int largest = 0, smallest = 0, found = 0;
        for (int i = 0; i < n; ++i) {
            if (size(i) > size(largest)) largest = i;
            if (size(i) < size(smallest)) smallest = i;
        }
        MUST(N::amax(h, n, x, step_x, &found) == CUBLAS_STATUS_SUCCESS && found == largest + 1);
        MUST(N::amin(h, n, x, step_x, &found) == CUBLAS_STATUS_SUCCESS && found == smallest + 1);
        R norm = 0;
        OK(N::nrm2(h, n, x, step_x, &norm));
        MUST(std::abs(double(norm) * norm - sum(n, [&](int i) { return std::norm(X[at_x(i)]); })) <
             1e-4);
        OK(N::asum(h, n, x, step_x, &norm));
        MUST(std::abs(double(norm) - sum(n, size)) < 1e-4);
        for (int i = 0; i < n; ++i) Y[at_y(i)] = X[at_x(i)];
        GIVES(N::copy(h, n, x, step_x, y, step_y), y, Y);
    }

    void matrix_and_vector() {
        constexpr int m = 5;
        const buffer X = x.now();
        const auto x_at = [&](int i) { return X[at_x(i)]; };
        for (const auto op : operations) {
            buffer Y = y.now();
            const int rows = op == CUBLAS_OP_N ? m : n, columns = m + n - rows;
            for (int i = 0; i < rows; ++i) {
                number& to = Y[at_y(i, rows)];
                to = f * sum(columns, [&](int j) { return element(A, op, i, j) * x_at(j); }) +
                     g * to;
            }
            GIVES(N::gemv(h, op, m, n, &alpha, a, apart, x, step_x, &beta, y, step_y), y, Y);
        }
        for (const bool adjoint : {false, true}) {
            buffer C = c.now();
            const buffer Y = y.now();
            elements(m, n, [&](int i, int j) {
                const number right = Y[at_y(j)];
                C[i + j * apart] += f * x_at(i) * (adjoint ? std::conj(right) : right);
            });
            const auto ger = adjoint ? N::gerc : N::geru;
            GIVES(ger(h, m, n, &alpha, x, step_x, y, step_y, c, apart), c, C);
        }
        for (const auto fill : fills) {
            for (const bool adjoint : {false, true}) {
                buffer Y = y.now(), C = c.now();
                for (int i = 0; i < n; ++i) {
                    number& to = Y[at_y(i)];
                    to =
                        f * sum(n, [&](int j) { return whole(A, fill, adjoint, i, j) * x_at(j); }) +
                        g * to;
                }
                const auto multiply = adjoint ? N::hemv : N::symv;
                GIVES(multiply(h, fill, n, &alpha, a, apart, x, step_x, &beta, y, step_y), y, Y);
                elements(n, n, [&](int i, int j) {
                    number& to = C[i + j * apart];
                    if (!is_in(fill, i, j)) return;
                    to += (adjoint ? number(real_f) : f) * x_at(i) *
                          (adjoint ? std::conj(x_at(j)) : x_at(j));
                    if (adjoint && i == j) to = to.real();
                });
                if (adjoint)
                    GIVES(N::her(h, fill, n, &real_f, x, step_x, c, apart), c, C);
                else
                    GIVES(N::syr(h, fill, n, &alpha, x, step_x, c, apart), c, C);
            }
            for (const auto op : operations)
                for (const auto diagonal : diagonals) {
                    const buffer Y = y.now();
                    buffer product = Y;
                    for (int i = 0; i < n; ++i)
                        product[at_y(i)] = sum(n, [&](int j) {
                            return triangle(A, fill, op, diagonal, i, j) * Y[at_y(j)];
                        });
                    GIVES(N::trmv(h, fill, op, diagonal, n, a, apart, y, step_y), y, product);
                    GIVES(N::trsv(h, fill, op, diagonal, n, a, apart, y, step_y), y, Y);
                }
        }
    }

    void matrices() {
        constexpr int m = 5, k = 6;
        buffer C = c.now();
        const auto set = [&](int rows, int columns, const auto& product, number of_c) {
            C = c.now();
            elements(rows, columns, [&](int i, int j) {
                C[i + j * apart] = f * product(i, j) + of_c * C[i + j * apart];
            });
        };
        for (const auto ta : operations)
            for (const auto tb : operations) {
                set(
                    m, n,
                    [&](int i, int j) {
                        return sum(
                            k, [&](int p) { return element(A, ta, i, p) * element(B, tb, p, j); });
                    },
                    g);
                GIVES(N::gemm(h, ta, tb, m, n, k, &alpha, a, apart, b, apart, &beta, c, apart), c,
                      C);
                set(
                    m, n,
                    [&](int i, int j) {
                        return element(A, ta, i, j) + g / f * element(B, tb, i, j);
                    },
                    0);
                GIVES(N::geam(h, ta, tb, m, n, &alpha, a, apart, &beta, b, apart, c, apart), c, C);
            }
        for (const auto side : sides) {
            const bool left = side == CUBLAS_SIDE_LEFT;
            const int order = left ? m : n;
            set(
                m, n,
                [&](int i, int j) {
                    return B[i + j * apart] * x.now()[at_y(left ? i : j, order)] / f;
                },
                0);
            GIVES(N::dgmm(h, side, m, n, b, apart, x, step_y, c, apart), c, C);
            for (const auto fill : fills) {
                for (const bool adjoint : {false, true}) {
                    set(
                        m, n,
                        [&](int i, int j) {
                            return sum(order, [&](int p) {
                                return left ? whole(A, fill, adjoint, i, p) * B[p + j * apart]
                                            : B[i + p * apart] * whole(A, fill, adjoint, p, j);
                            });
                        },
                        g);
                    const auto multiply = adjoint ? N::hemm : N::symm;
                    GIVES(
                        multiply(h, side, fill, m, n, &alpha, a, apart, b, apart, &beta, c, apart),
                        c, C);
                }
                for (const auto op : operations)
                    for (const auto diagonal : diagonals) {
                        set(
                            m, n,
                            [&](int i, int j) {
                                return sum(order, [&](int p) {
                                    const number t = left ? triangle(A, fill, op, diagonal, i, p)
                                                          : triangle(A, fill, op, diagonal, p, j);
                                    return t * (left ? B[p + j * apart] : B[i + p * apart]);
                                });
                            },
                            0);
                        GIVES(N::trmm(h, side, fill, op, diagonal, m, n, &alpha, a, apart, b, apart,
                                      c, apart),
                              c, C);
                        // And back: op(A) X = (B op(A)) alpha.
                        elements(m, n, [&](int i, int j) {
                            C[i + j * apart] = f * f * B[i + j * apart];
                        });
                        GIVES(
                            N::trsm(h, side, fill, op, diagonal, m, n, &alpha, a, apart, c, apart),
                            c, C);
                    }
            }
        }
    }

    /// Complex matrices are not adjoint in updates of symmetric ones, nor transposed in those of
    /// Hermitian ones.
    void updates() {
        constexpr int k = 6;
        constexpr bool is_real = std::is_same_v<T, R>;
        for (const auto fill : fills)
            for (const auto op : operations)
                for (const int kind : {0, 1, 2}) {  // syrk, syr2k, herk
                    if (!is_real && op == (kind == 2 ? CUBLAS_OP_T : CUBLAS_OP_C)) continue;
                    buffer C = c.now();
                    elements(n, n, [&](int i, int j) {
                        if (!is_in(fill, i, j)) return;
                        const auto product = [&](const buffer& one, const buffer& other) {
                            return sum(k, [&](int p) {
                                const number right = element(other, op, j, p);
                                return element(one, op, i, p) *
                                       (kind == 2 ? std::conj(right) : right);
                            });
                        };
                        number& to = C[i + j * apart];
                        if (kind == 2 && i == j) to = to.real();
                        if (kind == 2)
                            to = double(real_f) * product(A, A) + double(real_g) * to;
                        else
                            to = f * (kind == 0 ? product(A, A) : product(A, B) + product(B, A)) +
                                 g * to;
                    });
                    if (kind == 0)
                        GIVES(N::syrk(h, fill, op, n, k, &alpha, a, apart, &beta, c, apart), c, C);
                    else if (kind == 1)
                        GIVES(N::syr2k(h, fill, op, n, k, &alpha, a, apart, b, apart, &beta, c,
                                       apart),
                              c, C);
                    else
                        GIVES(N::herk(h, fill, op, n, k, &real_f, a, apart, &real_g, c, apart), c,
                              C);
                }
    }
    void all() {
        vectors();
        matrix_and_vector();
        matrices();
        updates();
    }
};

int main() {
    cublasCreate(&h);
    test<S_names>().all();
    test<D_names>().all();
    test<C_names>().all();
    test<Z_names>().all();
    cublasDestroy(h);
    return verdict();
}
