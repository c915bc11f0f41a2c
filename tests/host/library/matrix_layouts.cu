// Warp matrix functions: every shape and type of nvcuda::wmma in all layouts of its factors and
// sums, with rows or columns that lie apart, accumulators of different types, saturation, fragments
// that are filled and changed by element, and both operations of bits; against plain loops.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>

#include "check.h"

using namespace nvcuda;
namespace packed = wmma::experimental::precision;
using tf32 = wmma::precision::tf32;

template <int m, int n, int k>
struct shape {
    static constexpr int M = m, N = n, K = k;
};
template <class T>
using stored = std::conditional_t<std::is_same_v<T, tf32>, float, T>;

// Distances of rows or columns are whole numbers of 16 bytes, and larger than the tile by one.
template <class T>
__host__ __device__ constexpr int apart(int width) {
    return width + 16 / static_cast<int>(sizeof(T));
}
template <class Layout>
constexpr bool by_rows = std::is_same_v<Layout, wmma::row_major>;

enum change { none, twice_a, filled_a, saturated, in_place };

/// d = a b + c
template <class S, class T, class D, class C, class A_layout, class B_layout>
__global__ void product(const stored<T>* a, const stored<T>* b, const C* c, D* d,
                        wmma::layout_t c_order, wmma::layout_t d_order, change how) {
    constexpr int M = S::M, N = S::N, K = S::K;
    wmma::fragment<wmma::matrix_a, M, N, K, T, A_layout> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, B_layout> fb;
    wmma::fragment<wmma::accumulator, M, N, K, C> fc;
    wmma::fragment<wmma::accumulator, M, N, K, D> fd;
    wmma::load_matrix_sync(fa, a, apart<stored<T>>(by_rows<A_layout> ? K : M));
    wmma::load_matrix_sync(fb, b, apart<stored<T>>(by_rows<B_layout> ? N : K));
    wmma::load_matrix_sync(fc, c, apart<C>(c_order == wmma::mem_row_major ? N : M), c_order);
    if constexpr (std::is_same_v<T, tf32>) {
        for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
        for (int i = 0; i < fb.num_elements; ++i) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
    }
    if (how == twice_a)
        for (int i = 0; i < fa.num_elements; ++i)
            fa.x[i] = static_cast<stored<T>>(fa.x[i] + fa.x[i]);
    if (how == filled_a) wmma::fill_fragment(fa, static_cast<stored<T>>(3.0F));
    if constexpr (std::is_same_v<D, int>)
        wmma::mma_sync(fd, fa, fb, fc, how == saturated);
    else
        wmma::mma_sync(fd, fa, fb, fc);
    if constexpr (std::is_same_v<D, C>)
        if (how == in_place) {
            wmma::mma_sync(fc, fa, fb, fc);
            fd = fc;
        }
    wmma::store_matrix_sync(d, fd, apart<D>(d_order == wmma::mem_row_major ? N : M), d_order);
}

// With more than -O1 g++ takes twice as long for this program. The kernels above stay as they are.
#pragma GCC optimize("O1")

/// A matrix in memory, by rows or columns that lie apart.
template <class T>
struct matrix {
    int rows, columns;
    bool is_by_rows;
    T* memory;
    static constexpr unsigned char unused = 0x55;

    matrix(int m, int n, bool rows_first)
        : rows(m), columns(n), is_by_rows(rows_first), memory(managed<T>(size(), unused)) {}
    matrix(const matrix&) = delete;
    ~matrix() { cudaFree(memory); }
    int distance() const { return apart<T>(is_by_rows ? columns : rows); }
    int size() const { return (is_by_rows ? rows : columns) * distance(); }
    T& at(int i, int j) { return memory[is_by_rows ? i * distance() + j : j * distance() + i]; }
    /// What lies between rows or columns stays as it was.
    void check_gaps(const char* what) {
        const int width = is_by_rows ? columns : rows;
        T left;
        std::memset(static_cast<void*>(&left), unused, sizeof left);
        for (int i = 0; i < size(); ++i)
            if (i % distance() >= width && std::memcmp(&memory[i], &left, sizeof left) != 0)
                expect(what, -1, i, 1, 0);
    }
};

template <class S, class T, class D, class C, class A_layout, class B_layout>
static void check_layout(const char* what) {
    using X = stored<T>;
    constexpr int M = S::M, N = S::N, K = S::K;
    constexpr bool is_whole = std::is_same_v<D, int>, has_sign = !std::is_same_v<X, unsigned char>;
    matrix<X> a(M, K, by_rows<A_layout>), b(K, N, by_rows<B_layout>);
    const auto left = [&](int i, int k) { return (i * 7 + k * 5) % 9 - (has_sign ? 4 : 0); };
    const auto right = [&](int k, int j) { return (k * 3 + j * 11) % 7 - (has_sign ? 3 : 0); };
    // What tf32 has no room for is rounded away.
    const auto value = [](int x) {
        return X(std::is_same_v<T, tf32> ? x * 4097.0F / 4096 : static_cast<float>(x));
    };
    for (int i = 0; i < M; ++i)
        for (int k = 0; k < K; ++k) a.at(i, k) = value(left(i, k));
    for (int k = 0; k < K; ++k)
        for (int j = 0; j < N; ++j) b.at(k, j) = value(right(k, j));
    for (int round = 0; round < 5; ++round) {
        const change how = static_cast<change>(round);
        if ((how == saturated && !is_whole) || (how == in_place && !std::is_same_v<D, C>)) continue;
        matrix<C> c(M, N, round % 2 == 0);
        matrix<D> d(M, N, round % 4 < 2);
        const auto before = [&](int i, int j) {
            if (how == saturated)
                return (i + j) % 3 == 0 ? INT32_MAX - 5 : (i + j) % 3 == 1 ? INT32_MIN + 5 : i;
            return (i * 5 + j * 13) % 11 - 5;
        };
        for (int i = 0; i < M; ++i)
            for (int j = 0; j < N; ++j) {
                if constexpr (is_whole)
                    c.at(i, j) = before(i, j);
                else
                    c.at(i, j) = C(static_cast<float>(before(i, j)));
            }
        const auto order = [](bool rows) {
            return rows ? wmma::mem_row_major : wmma::mem_col_major;
        };
        product<S, T, D, C, A_layout, B_layout><<<1, 32>>>(
            a.memory, b.memory, c.memory, d.memory, order(c.is_by_rows), order(d.is_by_rows), how);
        wait_for_device();
        for (int i = 0; i < M; ++i)
            for (int j = 0; j < N; ++j) {
                long long want = before(i, j);
                for (int k = 0; k < K; ++k)
                    want +=
                        (how == filled_a ? 3 : (how == twice_a ? 2 : 1) * left(i, k)) * right(k, j);
                if (how == saturated)
                    want = want > INT32_MAX ? INT32_MAX : want < INT32_MIN ? INT32_MIN : want;
                expect(what, i, j, static_cast<double>(d.at(i, j)), static_cast<double>(want));
            }
        d.check_gaps(what);
    }
}
template <class S, class T, class D, class C>
static void check_layouts(const char* what) {
    check_layout<S, T, D, C, wmma::row_major, wmma::row_major>(what);
    check_layout<S, T, D, C, wmma::row_major, wmma::col_major>(what);
    check_layout<S, T, D, C, wmma::col_major, wmma::row_major>(what);
    check_layout<S, T, D, C, wmma::col_major, wmma::col_major>(what);
}
template <class T, class D, class C>
static void check_shapes(const char* what) {
    check_layouts<shape<16, 16, 16>, T, D, C>(what);
    check_layouts<shape<32, 8, 16>, T, D, C>(what);
    check_layouts<shape<8, 32, 16>, T, D, C>(what);
}

// --- Elements narrower than a byte ---------------------------------------------------------------

/// How a packed product is made; those of bits by XOR or AND.
template <class T, int K>
__global__ void packed_product(const unsigned* a, const unsigned* b, const int* c, int* d,
                               wmma::layout_t order, bool other) {
    wmma::fragment<wmma::matrix_a, 8, 8, K, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, K, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, K, int> fc, fd;
    wmma::load_matrix_sync(fa, a, 2 * K);
    wmma::load_matrix_sync(fb, b, 3 * K);
    wmma::load_matrix_sync(fc, c, 12, order);
    if constexpr (K == 128) {
        using namespace wmma::experimental;
        bmma_sync(fd, fa, fb, fc, other ? bmmaBitOpAND : bmmaBitOpXOR, bmmaAccumulateOpPOPC);
    } else {
        wmma::mma_sync(fd, fa, fb, fc, other);
    }
    wmma::store_matrix_sync(d, fd, 12, order);
}
template <class T, int K>
static void check_packed(const char* what) {
    auto *a = managed<unsigned>(64, 0), *b = managed<unsigned>(96, 0);
    auto *c = managed<int>(96, 0), *d = managed<int>(96, 0x55);
    for (unsigned i = 0; i < 64; ++i) a[i] = i * 2654435761U + 12345;
    for (unsigned i = 0; i < 96; ++i) b[i] = (i + 99) * 40503U * 65599U;
    for (const bool other : {false, true})
        for (const auto order : {wmma::mem_row_major, wmma::mem_col_major}) {
            const auto at = [&](int i, int j) {
                return order == wmma::mem_row_major ? 12 * i + j : 12 * j + i;
            };
            const bool clamps = K == 32 && other;
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 8; ++j)
                    c[at(i, j)] =
                        clamps ? (i % 2 == 0 ? INT32_MAX - j : INT32_MIN + j) : i * 10 - j;
            packed_product<T, K><<<1, 32>>>(a, b, c, d, order, other);
            wait_for_device();
            const auto digit = [](const unsigned* words, int k) {
                constexpr int width = 128 / K;
                const int x =
                    static_cast<int>(words[k * width / 32] >> k * width % 32 & ((1U << width) - 1));
                return std::is_same_v<T, packed::s4> && x > 7 ? x - 16 : x;
            };
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 8; ++j) {
                    long long want = c[at(i, j)];
                    for (int k = 0; k < K; ++k) {
                        // Rows of a lie two of them apart, columns of b three.
                        const int x = digit(a + 8 * i, k), y = digit(b + 12 * j, k);
                        want += K == 32 ? x * y : other ? x & y : x ^ y;
                    }
                    if (clamps)
                        want = want > INT32_MAX ? INT32_MAX : want < INT32_MIN ? INT32_MIN : want;
                    expect(what, i, j, d[at(i, j)], static_cast<double>(want));
                }
            for (int i = 0; i < 96; ++i)
                if (i % 12 >= 8) expect(what, -1, i, d[i], 0x55555555);
        }
    cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(d);
}

int main() {
    check_shapes<half, float, float>("half");
    check_shapes<half, half, half>("half in half");
    check_shapes<half, float, half>("half, from half to float");
    check_shapes<half, half, float>("half, from float to half");
    check_shapes<__nv_bfloat16, float, float>("bfloat16");
    check_shapes<signed char, int, int>("int8");
    check_shapes<unsigned char, int, int>("uint8");
    check_layouts<shape<16, 16, 8>, tf32, float, float>("tf32");
    check_layouts<shape<8, 8, 4>, double, double, double>("double");
    check_packed<packed::s4, 32>("int4");
    check_packed<packed::u4, 32>("uint4");
    check_packed<packed::b1, 128>("bits");
    return verdict();
}
