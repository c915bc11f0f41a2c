// cuBLAS's batches for all types of numbers, against plain loops in double: products, triangles,
// LU, inverses, QR and least squares, with space between columns and between matrices; and the
// handle's settings and copies in a stream.
#include <cublas_v2.h>

#include "complex_numbers.h"

/// For sums of about ten products of numbers up to 1.
template <class T>
constexpr double tolerance = std::is_same_v<T, double> || std::is_same_v<T, cuDoubleComplex> ? 1e-12
                             : sizeof(T) >= 4                                                ? 1e-4
                             : std::is_same_v<T, __half>                                     ? 1e-2
                                                                                             : 5e-2;

static unsigned random_state = 20262;
static double any() {
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) / 8388608.0 - 1;
}

constexpr int count = 3, m = 5, n = 4, k = 6, apart = 9, step = apart * apart + 2;
static cublasHandle_t h;

/// Matrices of a batch, and pointers to them in another order than in memory.
template <class T>
struct batch {
    explicit batch(double diagonal = 0) {
        for (int i = 0; i < count * step; ++i)
            p[i] = made<T>(number(any(), any()) + (i % step % (apart + 1) == 0 ? diagonal : 0.0));
        for (int i = 0; i < count; ++i) list[i] = p + (count - 1 - i) * step;
    }
    ~batch() { cudaFree(p), cudaFree(list); }
    batch(const batch&) = delete;
    std::vector<number> now() const {
        cudaDeviceSynchronize();
        std::vector<number> out;
        for (int i = 0; i < count * step; ++i) out.push_back(get(p[i]));
        return out;
    }
    T* p = managed<T>(count * step);
    T** list = managed<T*>(count);
};
/// Where an element lies in all of a batch.
static int place(int each, int i, int j) { return each * step + i + j * apart; }
static number element(const std::vector<number>& a, int each, cublasOperation_t op, int i, int j) {
    if (op == CUBLAS_OP_N) return a[place(each, i, j)];
    return op == CUBLAS_OP_C ? std::conj(a[place(each, j, i)]) : a[place(each, j, i)];
}
static bool is_near(const std::vector<number>& a, const std::vector<number>& b, double most) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(std::abs(a[i] - b[i]) < most)) return false;
    return true;
}
template <class Each>
void elements(int rows, int columns, const Each& each) {
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < rows; ++i) each(i, j);
}

/// C = alpha op(A) op(B) + beta C for each matrix, by strided(step of A...) and by lists(...),
/// which take the factors too. All of C's memory is compared.
template <class A, class C, class Scale, class Strided, class Lists>
void products(const Strided& strided, const Lists& lists) {
    const Scale alpha = made<Scale>({0.75, -0.5}), beta = made<Scale>({-0.5, 0.25});
    for (const auto ta : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C})
        for (const auto tb : {CUBLAS_OP_N, CUBLAS_OP_C})
            for (const bool is_strided : {true, false}) {
                batch<A> a, b;
                batch<C> c;
                auto wanted = c.now();
                const auto x = a.now(), y = b.now();
                for (int each = 0; each < count; ++each)
                    elements(m, n, [&](int i, int j) {
                        number sum = 0;
                        for (int p = 0; p < k; ++p)
                            sum += element(x, each, ta, i, p) * element(y, each, tb, p, j);
                        number& to = wanted[place(each, i, j)];
                        to = get(alpha) * sum + get(beta) * to;
                    });
                if (is_strided)
                    OK(strided(ta, tb, &alpha, a.p, b.p, &beta, c.p));
                else
                    OK(lists(ta, tb, &alpha, a.list, b.list, &beta, c.list));
                MUST(is_near(c.now(), wanted, tolerance<C>));
            }
}
template <class T, class Strided, class Lists>
void plain_products(const Strided& strided, const Lists& lists) {
    products<T, T, T>(
        [&](auto ta, auto tb, auto alpha, auto a, auto b, auto beta, auto c) {
            return strided(h, ta, tb, m, n, k, alpha, a, apart, step, b, apart, step, beta, c,
                           apart, step, count);
        },
        [&](auto ta, auto tb, auto alpha, auto a, auto b, auto beta, auto c) {
            return lists(h, ta, tb, m, n, k, alpha, a, apart, b, apart, beta, c, apart, count);
        });
}
template <class A, class C, class Scale>
void products_ex(cudaDataType of_a, cudaDataType of_c, cublasComputeType_t compute) {
    const auto way = CUBLAS_GEMM_DEFAULT;
    products<A, C, Scale>(
        [&](auto ta, auto tb, auto alpha, auto a, auto b, auto beta, auto c) {
            return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, of_a, apart, step, b,
                                              of_a, apart, step, beta, c, of_c, apart, step, count,
                                              compute, way);
        },
        [&](auto ta, auto tb, auto alpha, auto a, auto b, auto beta, auto c) {
            return cublasGemmBatchedEx(h, ta, tb, m, n, k, alpha, (const void* const*)a, of_a,
                                       apart, (const void* const*)b, of_a, apart, beta,
                                       (void* const*)c, of_c, apart, count, compute, way);
        });
}

#define NAMES(T_, L)                                                      \
    struct L##_names {                                                    \
        using T = T_;                                                     \
        static constexpr auto gemv = cublas##L##gemvStridedBatched;       \
        static constexpr auto trsm = cublas##L##trsmBatched;              \
        static constexpr auto getrf = cublas##L##getrfBatched;            \
        static constexpr auto getri = cublas##L##getriBatched;            \
        static constexpr auto getrs = cublas##L##getrsBatched;            \
        static constexpr auto matinv = cublas##L##matinvBatched;          \
        static constexpr auto geqrf = cublas##L##geqrfBatched;            \
        static constexpr auto gels = cublas##L##gelsBatched;              \
        static constexpr auto gemm = cublas##L##gemmBatched;              \
        static constexpr auto gemm_steps = cublas##L##gemmStridedBatched; \
    };
NAMES(float, S)
NAMES(double, D)
NAMES(cuComplex, C)
NAMES(cuDoubleComplex, Z)

/// The largest difference of A op X from B, of `rows` rows, where A is rows x inner.
static double residual(const std::vector<number>& a, cublasOperation_t op,
                       const std::vector<number>& x, const std::vector<number>& b, int each,
                       int rows, int inner, int columns) {
    double most = 0;
    elements(rows, columns, [&](int i, int j) {
        number sum = -b[place(each, i, j)];
        for (int p = 0; p < inner; ++p) sum += element(a, each, op, i, p) * x[place(each, p, j)];
        most = std::fmax(most, std::abs(sum));
    });
    return most;
}

template <class N>
void systems() {
    using T = typename N::T;
    const double most = tolerance<T>;
    batch<T> a(4), b, c, inverse;
    const auto A = a.now();
    std::vector<number> unit(count * step);
    for (int each = 0; each < count; ++each)
        for (int i = 0; i < k; ++i) unit[place(each, i, i)] = 1;
    int *pivots = managed<int>(count * k), *infos = managed<int>(count), info = -1;
    const auto are_zero = [&] {
        cudaDeviceSynchronize();
        bool all = true;
        for (int i = 0; i < count; ++i) all &= infos[i] == 0, infos[i] = -1;
        return all;
    };
    OK(N::matinv(h, k, a.list, apart, inverse.list, apart, infos, count));
    MUST(are_zero());
    MUST(is_near(a.now(), A, 1e-300));
    for (int each = 0; each < count; ++each)
        MUST(residual(A, CUBLAS_OP_N, inverse.now(), unit, each, k, k, k) < most);
    OK(N::getrf(h, k, a.list, apart, pivots, infos, count));
    MUST(are_zero());
    OK(N::getri(h, k, a.list, apart, pivots, c.list, apart, infos, count));
    MUST(are_zero());
    for (int each = 0; each < count; ++each)
        MUST(residual(A, CUBLAS_OP_N, c.now(), unit, each, k, k, k) < most);
    for (const auto op : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
        const auto right = b.now();
        OK(N::getrs(h, op, k, n, a.list, apart, pivots, b.list, apart, &info, count));
        MUST(info == 0);
        for (int each = 0; each < count; ++each)
            MUST(residual(A, op, b.now(), right, each, k, k, n) < most);
    }
    MUST(N::getrs(h, CUBLAS_OP_N, k, n, a.list, apart, pivots, b.list, k - 1, &info, count) ==
             CUBLAS_STATUS_INVALID_VALUE &&
         info == -9);

    // QR: Q is the product of 1 - tau v v^H, where v is 1 behind zeros, and then below R.
    batch<T> q, tau;
    const auto before = q.now();
    OK(N::geqrf(h, k, n, q.list, apart, tau.list, &info, count));
    MUST(info == 0);
    const auto after = q.now(), factors = tau.now();
    for (int each = 0; each < count; ++each) {
        std::vector<number> product(count * step);
        elements(k, n, [&](int i, int j) {
            if (i <= j) product[place(each, i, j)] = after[place(each, i, j)];
        });
        for (int r = n; r-- > 0;)
            for (int j = 0; j < n; ++j) {
                const auto v = [&](int i) {
                    return i == r ? 1 : i < r ? 0 : after[place(each, i, r)];
                };
                number sum = 0;
                for (int i = 0; i < k; ++i) sum += std::conj(v(i)) * product[place(each, i, j)];
                for (int i = 0; i < k; ++i)
                    product[place(each, i, j)] -= factors[place(each, r, 0)] * v(i) * sum;
            }
        elements(k, n, [&](int i, int j) {
            MUST(std::abs(product[place(each, i, j)] - before[place(each, i, j)]) < most);
        });
    }

    // Least squares of k equations for n numbers: the residual is orthogonal to A's columns.
    batch<T> tall, right;
    const auto tall_was = tall.now(), right_was = right.now();
    OK(N::gels(h, CUBLAS_OP_N, k, n, 2, tall.list, apart, right.list, apart, &info, infos, count));
    MUST(info == 0 && are_zero());
    const auto found = right.now();
    for (int each = 0; each < count; ++each)
        elements(n, 2, [&](int r, int j) {
            number sum = 0;
            for (int i = 0; i < k; ++i) {
                number beside = -right_was[place(each, i, j)];
                for (int p = 0; p < n; ++p)
                    beside += tall_was[place(each, i, p)] * found[place(each, p, j)];
                sum += std::conj(tall_was[place(each, i, r)]) * beside;
            }
            MUST(std::abs(sum) < 20 * most);  // solutions are larger than what they fit
        });
    MUST(N::gels(h, CUBLAS_OP_N, 2, n, 2, tall.list, apart, right.list, apart, &info, infos,
                 count) == CUBLAS_STATUS_NOT_SUPPORTED);
}

template <class N>
void triangles_and_vectors() {
    using T = typename N::T;
    const T alpha = made<T>({0.7, -0.4}), beta = made<T>({-0.3, 0.9});
    batch<T> a(4);
    const auto A = a.now();
    for (const auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT})
        for (const auto op : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C})
            for (const auto diagonal : {CUBLAS_DIAG_UNIT, CUBLAS_DIAG_NON_UNIT}) {
                batch<T> x;
                const auto right = x.now();
                OK(N::trsm(h, side, CUBLAS_FILL_MODE_UPPER, op, diagonal, m, n, &alpha, a.list,
                           apart, x.list, apart, count));
                auto back = x.now();
                const auto X = back;
                const bool is_left = side == CUBLAS_SIDE_LEFT;
                for (int each = 0; each < count; ++each)
                    elements(m, n, [&](int i, int j) {
                        number sum = 0;
                        for (int p = 0; p < (is_left ? m : n); ++p) {
                            const int row = is_left ? i : p, column = is_left ? p : j;
                            const bool is_in = op == CUBLAS_OP_N ? row <= column : row >= column;
                            const number t = row == column && diagonal == CUBLAS_DIAG_UNIT ? 1
                                             : is_in ? element(A, each, op, row, column)
                                                     : 0;
                            sum += t * X[is_left ? place(each, p, j) : place(each, i, p)];
                        }
                        back[place(each, i, j)] = sum / get(alpha);
                    });
                MUST(is_near(back, right, 10 * tolerance<T>));
            }
    for (const auto op : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
        batch<T> x, y;
        auto wanted = y.now();
        const auto X = x.now();
        const int rows = op == CUBLAS_OP_N ? m : n, inner = m + n - rows;
        for (int each = 0; each < count; ++each)
            for (int i = 0; i < rows; ++i) {
                number sum = 0, &to = wanted[each * 40 + 3 * i];
                for (int p = 0; p < inner; ++p)
                    sum += element(A, each, op, i, p) * X[each * 30 + 2 * (inner - 1 - p)];
                to = get(alpha) * sum + get(beta) * to;
            }
        OK(N::gemv(h, op, m, n, &alpha, a.p, apart, step, x.p, -2, 30, &beta, y.p, 3, 40, count));
        MUST(is_near(y.now(), wanted, tolerance<T>));
    }
}

template <class N>
void all() {
    plain_products<typename N::T>(N::gemm_steps, N::gemm);
    triangles_and_vectors<N>();
    systems<N>();
}

static void single_products() {
    const auto one = [](const auto& multiply) {
        return [&multiply](auto ta, auto tb, auto alpha, auto a, auto b, auto beta, auto c) {
            for (int i = 0; i < count; ++i)
                OK(multiply(h, ta, tb, m, n, k, alpha, a + i * step, apart, b + i * step, apart,
                            beta, c + i * step, apart));
            return CUBLAS_STATUS_SUCCESS;
        };
    };
    const auto by_list = [](const auto& multiply) {
        return [&multiply](auto ta, auto tb, auto alpha, auto a, auto b, auto beta, auto c) {
            for (int i = 0; i < count; ++i)
                OK(multiply(h, ta, tb, m, n, k, alpha, a[i], apart, b[i], apart, beta, c[i],
                            apart));
            return CUBLAS_STATUS_SUCCESS;
        };
    };
    products<cuComplex, cuComplex, cuComplex>(one(cublasCgemm3m), by_list(cublasCgemm3m));
    products<cuDoubleComplex, cuDoubleComplex, cuDoubleComplex>(one(cublasZgemm3m),
                                                                by_list(cublasZgemm3m));
    const auto in_float = [](auto handle, auto ta, auto tb, int rows, int columns, int inner,
                             auto alpha, auto a, int lda, auto b, int ldb, auto beta, auto c,
                             int ldc) {
        return cublasSgemmEx(handle, ta, tb, rows, columns, inner, alpha, a, CUDA_R_16F, lda, b,
                             CUDA_R_16F, ldb, beta, c, CUDA_R_16F, ldc);
    };
    products<__half, __half, float>(one(in_float), by_list(in_float));
}

static void settings_and_copies() {
    cudaStream_t stream, told = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    OK(cublasSetStream(h, stream));
    OK(cublasGetStream(h, &told));
    MUST(told == stream);
    cublasMath_t math;
    OK(cublasGetMathMode(h, &math));
    MUST(math == CUBLAS_DEFAULT_MATH);
    OK(cublasSetMathMode(h, CUBLAS_PEDANTIC_MATH));
    OK(cublasGetMathMode(h, &math));
    MUST(math == CUBLAS_PEDANTIC_MATH);
    cublasAtomicsMode_t atomics;
    OK(cublasGetAtomicsMode(h, &atomics));
    MUST(atomics == CUBLAS_ATOMICS_NOT_ALLOWED);
    OK(cublasSetAtomicsMode(h, CUBLAS_ATOMICS_ALLOWED));
    OK(cublasGetAtomicsMode(h, &atomics));
    MUST(atomics == CUBLAS_ATOMICS_ALLOWED);
    OK(cublasSetWorkspace(h, managed<char>(1024), 1024));
    int version = 0;
    OK(cublasGetVersion(h, &version));
    MUST(version == CUBLAS_VERSION);
    MUST(!std::strcmp(cublasGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED),
                      "CUBLAS_STATUS_NOT_SUPPORTED"));
    MUST(std::strlen(cublasGetStatusString(CUBLAS_STATUS_INVALID_VALUE)) > 0);

    // Part of a matrix and of a vector there and back, in the stream.
    double *there = managed<double>(100), *here = nullptr, *back = nullptr;
    cudaMallocHost(&here, 100 * sizeof(double)), cudaMallocHost(&back, 100 * sizeof(double));
    for (int i = 0; i < 100; ++i) here[i] = i + 1, back[i] = there[i] = 0;
    OK(cublasSetMatrixAsync(3, 4, sizeof(double), here, 7, there, 5, stream));
    OK(cublasGetMatrixAsync(3, 4, sizeof(double), there, 5, back, 6, stream));
    OK(cublasSetVectorAsync(5, sizeof(double), here + 1, 2, there + 50, 3, stream));
    OK(cublasGetVectorAsync(5, sizeof(double), there + 50, 3, back + 50, 4, stream));
    cudaStreamSynchronize(stream);
    std::vector<double> matrix(50), vector(50);
    elements(3, 4, [&](int i, int j) { matrix[i + 6 * j] = here[i + 7 * j]; });
    for (int i = 0; i < 5; ++i) vector[4 * i] = here[1 + 2 * i];
    for (int i = 0; i < 50; ++i) MUST(back[i] == matrix[i] && back[50 + i] == vector[i]);
    MUST(cublasSetVectorAsync(5, sizeof(double), here, 0, there, 3, stream) ==
         CUBLAS_STATUS_INVALID_VALUE);
    OK(cublasSetStream(h, nullptr));
    cudaStreamDestroy(stream);
}

int main() {
    cublasCreate(&h);
    all<S_names>();
    all<D_names>();
    all<C_names>();
    all<Z_names>();
    plain_products<__half>(cublasHgemmStridedBatched, cublasHgemmBatched);
    single_products();
    products_ex<__half, float, float>(CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F);
    products_ex<__half, __half, __half>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F);
    products_ex<__nv_bfloat16, __nv_bfloat16, float>(CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F);
    products_ex<cuComplex, cuComplex, cuComplex>(CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F);
    products_ex<double, double, double>(CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F);
    settings_and_copies();
    cublasDestroy(h);
    return verdict();
}
