// Warp matrix functions: every shape and type of nvcuda::wmma, against sums in plain loops.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define T(of) a macro of the program
#include <mma.h>
#undef T

#include <cstdio>

#include "check.h"

using namespace nvcuda;

template <class T>
struct memory_of {
    using type = T;
};
template <>
struct memory_of<wmma::precision::tf32> {
    using type = float;
};

/// d = 2 a b + c, with c and d in the order that `order` says.
template <int M, int N, int K, class T, class C, class A_layout, class B_layout>
__global__ void product(const typename memory_of<T>::type* a, const typename memory_of<T>::type* b,
                        const C* c, C* d, wmma::layout_t order) {
    wmma::fragment<wmma::matrix_a, M, N, K, T, A_layout> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, B_layout> fb;
    wmma::fragment<wmma::accumulator, M, N, K, C> fc, fd;
    wmma::load_matrix_sync(fa, a, std::is_same_v<A_layout, wmma::row_major> ? K : M);
    wmma::load_matrix_sync(fb, b, std::is_same_v<B_layout, wmma::row_major> ? N : K);
    if (std::is_same_v<T, wmma::precision::tf32>)
        for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32((float)fa.x[i]);
    wmma::fill_fragment(fd, C(0));
    wmma::mma_sync(fd, fa, fb, fd);
    wmma::load_matrix_sync(fc, c, order == wmma::mem_row_major ? N : M, order);
    for (int i = 0; i < fd.num_elements; ++i) fd.x[i] = C((float)fd.x[i] * 2.0f + (float)fc.x[i]);
    wmma::store_matrix_sync(d, fd, order == wmma::mem_row_major ? N : M, order);
}

template <int M, int N, int K, class T, class C, class A_layout, class B_layout>
static void check(const char* what) {
    using X = typename memory_of<T>::type;
    X *a = managed<X>(M * K), *b = managed<X>(K * N);
    C *c = managed<C>(M * N), *d = managed<C>(M * N);
    const bool is_signed = !std::is_same_v<X, unsigned char>;
    const auto value = [&](int i, int by) { return (i * by) % 13 - (is_signed ? 6 : 0); };
    const bool a_rows = std::is_same_v<A_layout, wmma::row_major>;
    const bool b_rows = std::is_same_v<B_layout, wmma::row_major>;
    for (const auto order : {wmma::mem_row_major, wmma::mem_col_major}) {
        const bool rows = order == wmma::mem_row_major;
        for (int i = 0; i < M; ++i)
            for (int k = 0; k < K; ++k)
                a[a_rows ? i * K + k : k * M + i] = X((float)value(i * K + k, 7));
        for (int k = 0; k < K; ++k)
            for (int j = 0; j < N; ++j)
                b[b_rows ? k * N + j : j * K + k] = X((float)value(k * N + j, 5));
        for (int i = 0; i < M; ++i)
            for (int j = 0; j < N; ++j)
                c[rows ? i * N + j : j * M + i] = C((float)value(i * N + j, 3));
        product<M, N, K, T, C, A_layout, B_layout><<<1, 32>>>(a, b, c, d, order);
        wait_for_device();
        for (int i = 0; i < M; ++i)
            for (int j = 0; j < N; ++j) {
                int sum = 0;
                for (int k = 0; k < K; ++k) sum += value(i * K + k, 7) * value(k * N + j, 5);
                const float wanted = 2 * sum + value(i * N + j, 3);
                const float got = (float)d[rows ? i * N + j : j * M + i];
                if (fails(got == wanted))
                    std::printf("%s %dx%dx%d (%d,%d): %g, must be %g\n", what, M, N, K, i, j, got,
                                wanted);
            }
    }
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFree(d);
}

template <class T, class C, class A_layout, class B_layout>
static void check_shapes(const char* what) {
    check<16, 16, 16, T, C, A_layout, B_layout>(what);
    check<32, 8, 16, T, C, A_layout, B_layout>(what);
    check<8, 32, 16, T, C, A_layout, B_layout>(what);
}
template <class T, class C>
static void check_layouts(const char* what) {
    check_shapes<T, C, wmma::row_major, wmma::col_major>(what);
    check_shapes<T, C, wmma::col_major, wmma::row_major>(what);
}

namespace packed = wmma::experimental::precision;

template <class T, int K>
__global__ void packed_product(const unsigned* a, const unsigned* b, int* d) {
    wmma::fragment<wmma::matrix_a, 8, 8, K, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, K, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, K, int> fd;
    wmma::fill_fragment(fd, 1);
    wmma::load_matrix_sync(fa, a, K);
    wmma::load_matrix_sync(fb, b, K);
    if constexpr (K == 128)
        wmma::experimental::bmma_sync(fd, fa, fb, fd);
    else
        wmma::mma_sync(fd, fa, fb, fd);
    wmma::store_matrix_sync(d, fd, 8, wmma::mem_row_major);
}
template <class T, int K>
static void check_packed(const char* what) {
    unsigned *a = managed<unsigned>(32), *b = managed<unsigned>(32);
    int* d = managed<int>(64);
    for (unsigned i = 0; i < 32; ++i) a[i] = i * 2654435761U, b[i] = (i + 99) * 40503U * 65599U;
    packed_product<T, K><<<1, 32>>>(a, b, d);
    wait_for_device();
    constexpr int width = 128 / K;  // bits of an element
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) {
            int wanted = 1;
            for (int k = 0; k < K; ++k) {
                const auto digit = [&](const unsigned* of, int row) {
                    const int bit = row * 128 + k * width;
                    const int x = (int)(of[bit / 32] >> bit % 32 & ((1U << width) - 1));
                    return std::is_same_v<T, packed::s4> && x > 7 ? x - 16 : x;
                };
                wanted += K == 128 ? digit(a, i) ^ digit(b, j) : digit(a, i) * digit(b, j);
            }
            if (fails(d[i * 8 + j] == wanted))
                std::printf("%s (%d,%d): %d, must be %d\n", what, i, j, d[i * 8 + j], wanted);
        }
}

/// Several warps, tiles in shared memory, a loop over K.
__global__ void tiled(const half* a, const half* b, float* c, int n) {
    __shared__ half tile_a[4][256], tile_b[4][256];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = (blockIdx.y * 2 + warp / 2) * 16, column = (blockIdx.x * 2 + warp % 2) * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        for (int i = lane; i < 256; i += 32) {
            tile_a[warp][i] = a[(row + i / 16) * n + k + i % 16];
            tile_b[warp][i] = b[(k + i / 16) * n + column + i % 16];
        }
        __syncwarp();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, tile_a[warp], 16);
        wmma::load_matrix_sync(fb, tile_b[warp], 16);
        wmma::mma_sync(sum, fa, fb, sum);
        __syncwarp();
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}
static void check_tiled() {
    const int n = 64;
    half *a = managed<half>(n * n), *b = managed<half>(n * n);
    float* c = managed<float>(n * n);
    for (int i = 0; i < n * n; ++i) a[i] = half(i * 7 % 11 - 5), b[i] = half(i * 3 % 7 - 3);
    tiled<<<dim3(2, 2), 128>>>(a, b, c, n);
    wait_for_device();
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            float wanted = 0;
            for (int k = 0; k < n; ++k) wanted += float(a[i * n + k]) * float(b[k * n + j]);
            if (fails(c[i * n + j] == wanted))
                std::printf("tiled (%d,%d): %g, must be %g\n", i, j, c[i * n + j], wanted);
        }
}

int main() {
    check_layouts<half, float>("half");
    check_layouts<half, half>("half in half");
    check_layouts<__nv_bfloat16, float>("bfloat16");
    check_layouts<signed char, int>("int8");
    check_layouts<unsigned char, int>("uint8");
    check<16, 16, 8, wmma::precision::tf32, float, wmma::row_major, wmma::row_major>("tf32");
    check<16, 16, 8, wmma::precision::tf32, float, wmma::col_major, wmma::col_major>("tf32");
    check<8, 8, 4, double, double, wmma::row_major, wmma::col_major>("double");
    check<8, 8, 4, double, double, wmma::col_major, wmma::row_major>("double");
    check_packed<packed::s4, 32>("int4");
    check_packed<packed::u4, 32>("uint4");
    check_packed<packed::b1, 128>("bits");
    check_tiled();
    return verdict();
}
