// Matrices in columns, and the loops over them that cuBLAS, cuBLASLt and cuSOLVER share.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace cuset_host {

template <class T>
struct real_behind {
    using type = T;
};
template <class T>
struct real_behind<std::complex<T>> {
    using type = T;
};
template <class T>
using real_of = typename real_behind<T>::type;
template <class T>
constexpr bool is_complex = !std::is_same_v<T, real_of<T>>;

/// Double, or pairs of it, for sums of float.
template <class T>
using wide_of = std::conditional_t<is_complex<T>, std::complex<double>, double>;

template <class T>
T conjugate(T x) {
    return x;
}
template <class T>
std::complex<T> conjugate(std::complex<T> x) {
    return std::conj(x);
}

/// A matrix in columns.
template <class T>
struct matrix {
    T* data;
    std::ptrdiff_t rows_apart;
    T& operator()(std::ptrdiff_t i, std::ptrdiff_t j) const { return data[i + j * rows_apart]; }
    T* column(std::ptrdiff_t j) const { return data + j * rows_apart; }
    operator matrix<const T>() const { return {data, rows_apart}; }
};

template <class T>
matrix<T> in_columns(T* data, std::ptrdiff_t rows_apart) {
    return {data, rows_apart};
}

/// A matrix with memory of its own.
template <class T>
struct full_matrix {
    full_matrix(std::ptrdiff_t rows, std::ptrdiff_t columns)
        : rows_apart(rows), data(static_cast<std::size_t>(rows * columns)) {}
    T& operator()(std::ptrdiff_t i, std::ptrdiff_t j) {
        return data[static_cast<std::size_t>(i + j * rows_apart)];
    }
    const T& operator()(std::ptrdiff_t i, std::ptrdiff_t j) const {
        return data[static_cast<std::size_t>(i + j * rows_apart)];
    }
    T* column(std::ptrdiff_t j) { return data.data() + j * rows_apart; }
    matrix<T> all() { return {data.data(), rows_apart}; }
    matrix<const T> all() const { return {data.data(), rows_apart}; }

    std::ptrdiff_t rows_apart;
    std::vector<T> data;
};

/// Gives put(i, j, sum) the sum of a(i, p) b(p, j) over p < k, for m x n sums, in S.
template <class S, class A, class B, class Put>
void multiply(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k, const A& a, const B& b,
              const Put& put) {
    // By rows, so that a sum runs over neighbours.
    std::vector<S> rows(static_cast<std::size_t>(m * k)), column(static_cast<std::size_t>(k));
    for (std::ptrdiff_t p = 0; p < k; ++p)
        for (std::ptrdiff_t i = 0; i < m; ++i)
            rows[static_cast<std::size_t>(i * k + p)] = static_cast<S>(a(i, p));
    for (std::ptrdiff_t j = 0; j < n; ++j) {
        for (std::ptrdiff_t p = 0; p < k; ++p)
            column[static_cast<std::size_t>(p)] = static_cast<S>(b(p, j));
        const S* const right = column.data();
        for (std::ptrdiff_t i = 0; i < m; ++i) {
            const S* const row = rows.data() + i * k;
            constexpr int lanes = 16;
            S part[lanes] = {};
            std::ptrdiff_t p = 0;
            for (; p + lanes <= k; p += lanes)
                for (int l = 0; l < lanes; ++l) part[l] += row[p + l] * right[p + l];
            S sum = 0;
            for (const S& each : part) sum += each;
            for (; p < k; ++p) sum += row[p] * right[p];
            put(i, j, sum);
        }
    }
}

/// Solves op(A) x = b in place for a triangle, with x of n numbers `step` apart. The other
/// triangle is not read, nor a diagonal of ones.
template <class T>
void solve_triangle(const matrix<const T>& a, bool is_lower, bool transposed, bool conjugated,
                    bool has_ones, std::ptrdiff_t n, T* x, std::ptrdiff_t step) {
    const bool from_above = is_lower != transposed;
    const auto value = [&](const T& each) { return conjugated ? conjugate(each) : each; };
    for (std::ptrdiff_t count = 0; count < n; ++count) {
        const std::ptrdiff_t i = from_above ? count : n - 1 - count;
        const T* const column = a.column(i);
        const std::ptrdiff_t begin = is_lower ? i + 1 : 0, end = is_lower ? n : i;
        if (transposed) {
            T sum = x[i * step];
            for (std::ptrdiff_t j = begin; j < end; ++j) sum -= value(column[j]) * x[j * step];
            x[i * step] = has_ones ? sum : sum / value(column[i]);
        } else {
            if (!has_ones) x[i * step] /= value(column[i]);
            const T found = x[i * step];
            for (std::ptrdiff_t j = begin; j < end; ++j) x[j * step] -= value(column[j]) * found;
        }
    }
}

/// LU of m x n in place with rows exchanged, or not where `pivots` is null. Pivots count from 1.
/// Returns the first pivot that is 0, or 0.
template <class T, class Pivot>
std::ptrdiff_t decompose(const matrix<T>& a, std::ptrdiff_t m, std::ptrdiff_t n, Pivot* pivots) {
    std::ptrdiff_t singular = 0;
    const auto size = [](const T& x) {
        if constexpr (is_complex<T>)
            return std::abs(x.real()) + std::abs(x.imag());
        else
            return std::abs(x);
    };
    for (std::ptrdiff_t k = 0; k < std::min(m, n); ++k) {
        T* const own = a.column(k);
        std::ptrdiff_t best = k;
        for (std::ptrdiff_t i = k + 1; i < m && pivots != nullptr; ++i)
            if (size(own[i]) > size(own[best])) best = i;
        if (pivots != nullptr) pivots[k] = static_cast<Pivot>(best + 1);
        if (best != k)
            for (std::ptrdiff_t j = 0; j < n; ++j) std::swap(a(k, j), a(best, j));
        if (own[k] == T(0)) {
            if (singular == 0) singular = k + 1;
            continue;
        }
        for (std::ptrdiff_t i = k + 1; i < m; ++i) own[i] /= own[k];
        for (std::ptrdiff_t j = k + 1; j < n; ++j) {
            T* const to = a.column(j);
            const T factor = to[k];
            for (std::ptrdiff_t i = k + 1; i < m; ++i) to[i] -= own[i] * factor;
        }
    }
    return singular;
}

/// Solves op(A) x = b in place from what decompose() left, with x of n neighbours.
template <class T, class Pivot>
void solve_decomposed(const matrix<const T>& a, const Pivot* pivots, std::ptrdiff_t n, T* x,
                      bool transposed, bool conjugated) {
    const auto exchange = [&](std::ptrdiff_t k) {
        if (pivots != nullptr) std::swap(x[k], x[static_cast<std::ptrdiff_t>(pivots[k]) - 1]);
    };
    if (!transposed) {
        for (std::ptrdiff_t k = 0; k < n; ++k) exchange(k);
        solve_triangle(a, true, false, false, true, n, x, 1);
        solve_triangle(a, false, false, false, false, n, x, 1);
    } else {
        solve_triangle(a, false, true, conjugated, false, n, x, 1);
        solve_triangle(a, true, true, conjugated, true, n, x, 1);
        for (std::ptrdiff_t k = n; k-- > 0;) exchange(k);
    }
}

/// Householder's reflector of x, n numbers: (I - conj(tau) v v^H) x = beta e1, where v[0] is 1.
/// x[0] becomes beta and x[1..] becomes v[1..]. Returns tau.
template <class T>
T reflect(T* x, std::ptrdiff_t n) {
    using R = real_of<T>;
    double rest = 0;
    for (std::ptrdiff_t i = 1; i < n; ++i) rest += std::norm(wide_of<T>(x[i]));
    const double first = static_cast<double>(std::real(x[0])),
                 imaginary = static_cast<double>(std::imag(x[0]));
    if (rest == 0 && imaginary == 0) return T(0);
    const double size = std::sqrt(first * first + imaginary * imaginary + rest);
    const R beta = static_cast<R>(first >= 0 ? -size : size);
    const T tau = (T(beta) - x[0]) / beta;
    const T scale = T(1) / (x[0] - T(beta));
    for (std::ptrdiff_t i = 1; i < n; ++i) x[i] *= scale;
    x[0] = T(beta);
    return tau;
}
/// Takes x, n numbers, to (I - tau v v^H) x, where v[0] counts as 1.
template <class T>
void apply_reflector(const T* v, T tau, T* x, std::ptrdiff_t n) {
    T sum = x[0];
    for (std::ptrdiff_t i = 1; i < n; ++i) sum += conjugate(v[i]) * x[i];
    sum *= tau;
    x[0] -= sum;
    for (std::ptrdiff_t i = 1; i < n; ++i) x[i] -= sum * v[i];
}

/// QR of m x n in place, as LAPACK leaves it: R above, reflectors below.
template <class T>
void decompose_qr(const matrix<T>& a, std::ptrdiff_t m, std::ptrdiff_t n, T* tau) {
    for (std::ptrdiff_t k = 0; k < std::min(m, n); ++k) {
        tau[k] = reflect(&a(k, k), m - k);
        for (std::ptrdiff_t j = k + 1; j < n; ++j)
            apply_reflector(&a(k, k), conjugate(tau[k]), &a(k, j), m - k);
    }
}
/// Takes x, m numbers, to Q x or Q^H x, for the first k reflectors.
template <class T>
void apply_q(const matrix<const T>& a, const T* tau, std::ptrdiff_t m, std::ptrdiff_t k, T* x,
             bool adjoint) {
    for (std::ptrdiff_t count = 0; count < k; ++count) {
        const std::ptrdiff_t i = adjoint ? count : k - 1 - count;
        apply_reflector(&a(i, i), adjoint ? conjugate(tau[i]) : tau[i], x + i, m - i);
    }
}

}  // namespace cuset_host
