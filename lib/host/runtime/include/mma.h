// CUDA's warp matrix functions (nvcuda::wmma) on the host model: fragments of every documented
// shape and type.
//
// CUDA leaves open which lane holds which element. Here element e of lane l of a fragment is number
// 32 e + l of the matrix, row by row; where a fragment has more elements than its share, they
// repeat. One lane multiplies for its warp, which waits before and after.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuset_host/alignment.h>
#include <cuset_host/threads/execution.h>
#include <cuset_host/threads/lane_values.h>
#include <cuset_host/threads/local_memory.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

namespace details {

/// What an element is stored as, and how wide a part of a matrix it is.
template <class T>
struct stored {
    using type = T;
};
template <>
struct stored<precision::tf32> {
    using type = float;
};
template <>
struct stored<experimental::precision::u4> {
    using type = unsigned;
};
template <>
struct stored<experimental::precision::s4> {
    using type = int;
};
template <>
struct stored<experimental::precision::b1> {
    using type = unsigned;
};
template <class T>
inline constexpr int bits = 8 * sizeof(T);
template <>
inline constexpr int bits<precision::tf32> = 32;
template <>
inline constexpr int bits<experimental::precision::u4> = 4;
template <>
inline constexpr int bits<experimental::precision::s4> = 4;
template <>
inline constexpr int bits<experimental::precision::b1> = 1;
template <class T>
inline constexpr bool is_packed = bits<T> < 8;

template <class Use, int M, int N, int K>
inline constexpr int rows = std::is_same_v<Use, matrix_b> ? K : M;
template <class Use, int M, int N, int K>
inline constexpr int columns = std::is_same_v<Use, matrix_a> ? K : N;

template <class T>
inline constexpr bool is_half = std::is_same_v<T, __half>;

/// Half fragments hold each element twice, and so many elements whatever their shape.
template <class Use, int M, int N, int K, class T>
inline constexpr int elements = is_packed<T> ? 1
                                : is_half<T> && !std::is_same_v<Use, accumulator>
                                    ? 16
                                    : rows<Use, M, N, K> * columns<Use, M, N, K> / 32;

template <int M, int N, int K, class T>
constexpr bool is_shape() {
    constexpr bool wide = (M == 16 && N == 16) || (M == 32 && N == 8) || (M == 8 && N == 32);
    if (std::is_same_v<T, precision::tf32>) return M == 16 && N == 16 && K == 8;
    if (std::is_same_v<T, double>) return M == 8 && N == 8 && K == 4;
    if (bits<T> == 4) return M == 8 && N == 8 && K == 32;
    if (bits<T> == 1) return M == 8 && N == 8 && K == 128;
    return wide && K == 16;
}

inline void meet(const char* operation, int line) {
    cuset_host::warp_exchange(~0U, 0, operation, line);
}

inline float number(__half x) { return __half2float(x); }
inline float number(__nv_bfloat16 x) { return __bfloat162float(x); }
inline float number(float x) { return x; }
inline double number(double x) { return x; }
inline int number(signed char x) { return x; }
inline int number(unsigned char x) { return x; }
inline int number(int x) { return x; }

/// The product's operand: tf32 has 10 bits of a float's 23.
template <class T, class X>
inline auto operand(X x) {
    if constexpr (std::is_same_v<T, precision::tf32>) {
        std::uint32_t word;
        std::memcpy(&word, &x, sizeof word);
        word &= 0xffffe000U;
        std::memcpy(&x, &word, sizeof word);
        return x;
    } else {
        return number(x);
    }
}

template <class T, class X>
inline T rounded(X x, bool saturate) {
    if constexpr (std::is_same_v<T, int>) {
        if (saturate && x > std::numeric_limits<int>::max()) return std::numeric_limits<int>::max();
        if (saturate && x < std::numeric_limits<int>::min()) return std::numeric_limits<int>::min();
        return static_cast<int>(x);
    } else {
        if constexpr (is_half<T>) {
            if (saturate) x = x > 65504 ? 65504 : x < -65504 ? -65504 : x;
        }
        return static_cast<T>(x);
    }
}

}  // namespace details

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment {
public:
    using element_type = T;
    using storage_element_type = typename details::stored<T>::type;
    static constexpr int num_storage_elements = details::elements<Use, M, N, K, T>;
    static constexpr int num_elements =
        details::is_packed<T> ? 32 / details::bits<T> : num_storage_elements;
    storage_element_type x[num_storage_elements];
};

namespace details {

template <class Use, int M, int N, int K, class T>
inline constexpr int share = rows<Use, M, N, K>* columns<Use, M, N, K> / 32;

/// Calls f(element, row, column) for each of the lane's own elements.
template <class Use, int M, int N, int K, class T, class F>
inline void for_each_own(const F& f) {
    const int lane = static_cast<int>(cuset_host::lane_id());
    for (int e = 0; e < elements<Use, M, N, K, T>; ++e) {
        const int at = 32 * (e % share<Use, M, N, K, T>)+lane;
        f(e, at / columns<Use, M, N, K>, at % columns<Use, M, N, K>);
    }
}

/// The word of 32 bits that the lane holds of a matrix whose rows (of a) or columns (of b) have
/// four of them.
template <class T, class X>
inline void load_packed(X& to, const void* p, unsigned stride) {
    const unsigned lane = cuset_host::lane_id();
    const std::size_t bit = std::size_t{lane / 4} * stride * bits<T> + lane % 4 * 32;
    std::memcpy(&to, static_cast<const char*>(p) + bit / 8, 4);
}

}  // namespace details

template <class Use, int M, int N, int K, class T, class Layout, class P>
inline void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& to, const P* p, unsigned stride,
                             CUSET_HOST_LINE) {
    static_assert(details::is_shape<M, N, K, T>(), "no such shape of this type");
    details::meet("load_matrix_sync", line);
    // Of other types CUDA asks for less.
    if constexpr (details::is_half<T> || std::is_same_v<T, __nv_bfloat16> ||
                  std::is_same_v<T, precision::tf32>)
        cuset_host::check_rows(p, std::size_t{stride} * details::bits<T> / 8, "load_matrix_sync",
                               line);
    if constexpr (details::is_packed<T>) {
        details::load_packed<T>(to.x[0], p, stride);
    } else {
        details::for_each_own<Use, M, N, K, T>([&](int e, int row, int column) {
            const bool by_rows = std::is_same_v<Layout, row_major>;
            to.x[e] = by_rows ? p[std::size_t{stride} * row + column]
                              : p[std::size_t{stride} * column + row];
        });
    }
}
template <int M, int N, int K, class T>
inline void load_matrix_sync(fragment<accumulator, M, N, K, T>& to, const T* p, unsigned stride,
                             layout_t layout, CUSET_HOST_LINE) {
    details::meet("load_matrix_sync", line);
    details::for_each_own<accumulator, M, N, K, T>([&](int e, int row, int column) {
        to.x[e] = layout == mem_row_major ? p[std::size_t{stride} * row + column]
                                          : p[std::size_t{stride} * column + row];
    });
}
template <int M, int N, int K, class T>
inline void store_matrix_sync(T* p, const fragment<accumulator, M, N, K, T>& from, unsigned stride,
                              layout_t layout, CUSET_HOST_LINE) {
    details::meet("store_matrix_sync", line);
    details::for_each_own<accumulator, M, N, K, T>([&](int e, int row, int column) {
        T& to = layout == mem_row_major ? p[std::size_t{stride} * row + column]
                                        : p[std::size_t{stride} * column + row];
        to = from.x[e];
    });
    cuset_host::wait_for_warp("store_matrix_sync", line);
}

template <class Use, int M, int N, int K, class T, class Layout, class X>
inline void fill_fragment(fragment<Use, M, N, K, T, Layout>& to, const X& value) {
    for (auto& x : to.x) x = static_cast<typename details::stored<T>::type>(value);
}

inline float __float_to_tf32(float x) {
    std::uint32_t word;
    std::memcpy(&word, &x, sizeof word);
    if ((word & 0x7f800000U) != 0x7f800000U) word += 0x1000U;  // ties away from zero
    word &= 0xffffe000U;
    std::memcpy(&x, &word, sizeof word);
    return x;
}

namespace details {

/// A matrix whose elements the lanes hold, by rows.
template <int Count, class T, class Fragment, class X>
inline void gather(X (&to)[Count], const Fragment* const (&fragments)[32]) {
    for (int i = 0; i < Count; ++i)
        to[i] = fragments[i % 32] == nullptr
                    ? X(0)
                    : static_cast<X>(operand<T>(fragments[i % 32]->x[i / 32]));
}

template <class D, class A, class B, class C>
struct operands {
    D* d;
    const A* a;
    const B* b;
    const C* c;
};

/// Calls f for the whole warp in one lane, with the operands of all: null for lanes that the block
/// does not have.
template <class D, class A, class B, class C, class F>
inline void for_warp(D& d, const A& a, const B& b, const C& c, const char* operation, int line,
                     const F& f) {
    const operands<D, A, B, C> mine{&d, &a, &b, &c};
    const auto all =
        cuset_host::warp_exchange(~0U, reinterpret_cast<std::uintptr_t>(&mine), operation, line);
    if (cuset_host::lane_id() == static_cast<unsigned>(__builtin_ctz(all.present()))) {
        [[maybe_unused]] const cuset_host::work_for_warp of_all;
        D* ds[32] = {};
        const A* as[32] = {};
        const B* bs[32] = {};
        const C* cs[32] = {};
        for (unsigned lane = 0; lane < 32; ++lane) {
            if ((all.present() >> lane & 1) == 0) continue;
            const auto& fragments = *reinterpret_cast<const operands<D, A, B, C>*>(
                static_cast<std::uintptr_t>(all[lane]));
            ds[lane] = fragments.d;
            as[lane] = fragments.a;
            bs[lane] = fragments.b;
            cs[lane] = fragments.c;
        }
        f(ds, as, bs, cs);
    }
    meet(operation, line);
}

}  // namespace details

template <int M, int N, int K, class D, class T, class U, class C, class A_layout, class B_layout>
inline void mma_sync(fragment<accumulator, M, N, K, D>& d,
                     const fragment<matrix_a, M, N, K, T, A_layout>& a,
                     const fragment<matrix_b, M, N, K, U, B_layout>& b,
                     const fragment<accumulator, M, N, K, C>& c, bool saturate = false,
                     CUSET_HOST_LINE) {
    static_assert(std::is_same_v<T, U>, "both factors are of one type");
    static_assert(details::is_shape<M, N, K, T>(), "no such shape of this type");
    details::for_warp(
        d, a, b, c, "mma_sync", line,
        [&](const auto& ds, const auto& as, const auto& bs, const auto& cs) {
            if constexpr (details::is_packed<T>) {
                const bool is_signed = std::is_same_v<T, experimental::precision::s4>;
                const auto digit = [&](unsigned word, int k) {
                    const int value = static_cast<int>(word >> 4 * k & 15);
                    return is_signed && value > 7 ? value - 16 : value;
                };
                long long sums[M * N];
                details::gather<M * N, int>(sums, cs);
                for (int i = 0; i < M * N * 4; ++i) {
                    const int row = i / 4 / N, column = i / 4 % N, word = i % 4;
                    if (as[4 * row + word] == nullptr || bs[4 * column + word] == nullptr) continue;
                    for (int k = 0; k < 8; ++k)
                        sums[i / 4] += digit(static_cast<unsigned>(as[4 * row + word]->x[0]), k) *
                                       digit(static_cast<unsigned>(bs[4 * column + word]->x[0]), k);
                }
                for (int i = 0; i < M * N; ++i)
                    if (ds[i % 32] != nullptr)
                        ds[i % 32]->x[i / 32] = details::rounded<D>(sums[i], saturate);
            } else {
                using factor = decltype(details::operand<T>(a.x[0]));
                using sum = std::conditional_t<std::is_same_v<factor, int>, long long, factor>;
                factor left[M * K], right[K * N];
                sum sums[M * N];
                details::gather<M * K, T>(left, as);
                details::gather<K * N, T>(right, bs);
                details::gather<M * N, C>(sums, cs);
                for (int row = 0; row < M; ++row)
                    for (int k = 0; k < K; ++k)
                        for (int column = 0; column < N; ++column)
                            sums[row * N + column] += static_cast<sum>(left[row * K + k]) *
                                                      static_cast<sum>(right[k * N + column]);
                for (int i = 0; i < M * N; ++i)
                    if (ds[i % 32] != nullptr)
                        ds[i % 32]->x[i / 32] = details::rounded<D>(sums[i], saturate);
            }
        });
}

namespace experimental {

template <class A_layout, class B_layout>
inline void bmma_sync(fragment<accumulator, 8, 8, 128, int>& d,
                      const fragment<matrix_a, 8, 8, 128, precision::b1, A_layout>& a,
                      const fragment<matrix_b, 8, 8, 128, precision::b1, B_layout>& b,
                      const fragment<accumulator, 8, 8, 128, int>& c,
                      bmmaBitOp operation = bmmaBitOpXOR, bmmaAccumulateOp = bmmaAccumulateOpPOPC,
                      CUSET_HOST_LINE) {
    details::for_warp(
        d, a, b, c, "bmma_sync", line,
        [&](const auto& ds, const auto& as, const auto& bs, const auto& cs) {
            int sums[64];
            details::gather<64, int>(sums, cs);
            for (int i = 0; i < 256; ++i) {
                const int row = i / 32, column = i / 4 % 8, word = i % 4;
                if (as[4 * row + word] == nullptr || bs[4 * column + word] == nullptr) continue;
                const unsigned x = as[4 * row + word]->x[0], y = bs[4 * column + word]->x[0];
                sums[i / 4] += __builtin_popcount(operation == bmmaBitOpXOR ? x ^ y : x & y);
            }
            for (int i = 0; i < 64; ++i)
                if (ds[i % 32] != nullptr) ds[i % 32]->x[i / 32] = sums[i];
        });
}

}  // namespace experimental

}  // namespace wmma
}  // namespace nvcuda
