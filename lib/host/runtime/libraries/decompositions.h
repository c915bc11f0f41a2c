// Decompositions of matrices in columns: Cholesky's, eigenvalues of Hermitian matrices, and
// singular values. The latter two compute in double, whatever is asked for.
#pragma once

#include <limits>
#include <numeric>
#include <utility>

#include "matrices.h"

namespace cuset_host {

/// Cholesky's decomposition in place, in one triangle. Returns the first leading minor, from 1,
/// that is not positive, or 0.
template <class T>
std::ptrdiff_t decompose_positive(const matrix<T>& a, bool is_lower, std::ptrdiff_t n) {
    for (std::ptrdiff_t k = 0; k < n; ++k) {
        T* const own = a.column(k);
        if (!is_lower)  // what lies above, by dot products of columns
            for (std::ptrdiff_t i = 0; i <= k; ++i) {
                const T* const other = a.column(i);
                T sum = own[i];
                for (std::ptrdiff_t l = 0; l < i; ++l) sum -= conjugate(other[l]) * own[l];
                own[i] = i < k ? sum / other[i] : sum;
            }
        const real_of<T> pivot = std::real(own[k]);
        if (!(pivot > 0)) return k + 1;
        own[k] = std::sqrt(pivot);
        if (!is_lower) continue;
        for (std::ptrdiff_t i = k + 1; i < n; ++i) own[i] /= own[k];
        for (std::ptrdiff_t j = k + 1; j < n; ++j) {
            T* const to = a.column(j);
            const T factor = conjugate(own[j]);
            for (std::ptrdiff_t i = j; i < n; ++i) to[i] -= own[i] * factor;
        }
    }
    return 0;
}
/// Solves A x = b in place from what decompose_positive() left.
template <class T>
void solve_positive(const matrix<const T>& a, bool is_lower, std::ptrdiff_t n, T* x) {
    for (const bool adjoint : {!is_lower, is_lower})
        solve_triangle(a, is_lower, adjoint, adjoint, false, n, x, 1);
}

/// Eigenvalues of a tridiagonal matrix by implicit QL, with z's columns turned along. `d` is its
/// diagonal and becomes the values; `e` lies beside it, with room for one number more, and is lost.
/// Returns how many values were not found.
template <class Z>
std::ptrdiff_t turn_to_diagonal(std::vector<double>& d, std::vector<double>& e, full_matrix<Z>* z) {
    constexpr int most = 60;
    const auto n = static_cast<std::ptrdiff_t>(d.size());
    const auto D = [&](std::ptrdiff_t i) -> double& { return d[static_cast<std::size_t>(i)]; };
    const auto E = [&](std::ptrdiff_t i) -> double& { return e[static_cast<std::size_t>(i)]; };
    for (std::ptrdiff_t l = 0; l < n; ++l) {
        for (int tries = 0;; ++tries) {
            std::ptrdiff_t m = l;
            while (m + 1 < n && std::abs(E(m)) > std::numeric_limits<double>::epsilon() *
                                                     (std::abs(D(m)) + std::abs(D(m + 1))))
                ++m;
            if (m == l) break;
            if (tries == most) return n - l;
            // Wilkinson's shift, from the block at l.
            const double half = (D(l + 1) - D(l)) / (2 * E(l));
            const double root = std::hypot(half, 1.0);
            double g = D(m) - D(l) + E(l) / (half + (half >= 0 ? root : -root));
            double sine = 1, cosine = 1, carried = 0;
            bool splits = false;
            for (std::ptrdiff_t i = m - 1; i >= l; --i) {
                const double f = sine * E(i), b = cosine * E(i);
                const double r = std::hypot(f, g);
                E(i + 1) = r;
                if (r == 0) {
                    D(i + 1) -= carried;
                    E(m) = 0;
                    splits = true;
                    break;
                }
                sine = f / r;
                cosine = g / r;
                const double before = D(i + 1) - carried;
                const double turn = (D(i) - before) * sine + 2 * cosine * b;
                carried = sine * turn;
                D(i + 1) = before + carried;
                g = cosine * turn - b;
                if (z != nullptr) {
                    Z *const low = z->column(i), *const high = z->column(i + 1);
                    for (std::ptrdiff_t k = 0; k < z->rows_apart; ++k) {
                        const Z upper = high[k];
                        high[k] = sine * low[k] + cosine * upper;
                        low[k] = cosine * low[k] - sine * upper;
                    }
                }
            }
            if (splits) continue;
            D(l) -= carried;
            E(l) = g;
            E(m) = 0;
        }
    }
    return 0;
}

/// Eigenvalues of a Hermitian matrix, in ascending order, and its vectors in `a`'s columns, if they
/// are wanted. All of `a` is read. Returns how many values were not found.
template <class T>
std::ptrdiff_t find_eigenvalues(full_matrix<T>& a, std::vector<double>& values, bool with_vectors) {
    const std::ptrdiff_t n = a.rows_apart;
    std::vector<T> taus(static_cast<std::size_t>(n)), w(static_cast<std::size_t>(n));
    std::vector<double> beside(static_cast<std::size_t>(n));
    values.assign(static_cast<std::size_t>(n), 0);
    for (std::ptrdiff_t k = 0; k + 1 < n; ++k) {
        // A reflector clears column k below the diagonal's neighbour: A becomes H^H A H.
        T* const v = a.column(k) + k + 1;
        const std::ptrdiff_t size = n - k - 1;
        const T tau = reflect(v, size);
        taus[static_cast<std::size_t>(k)] = tau;
        beside[static_cast<std::size_t>(k)] = std::real(v[0]);
        v[0] = T(1);
        if (tau == T(0)) continue;
        std::fill(w.begin(), w.end(), T(0));
        for (std::ptrdiff_t j = 0; j < size; ++j) {
            const T* const column = a.column(k + 1 + j) + k + 1;
            for (std::ptrdiff_t i = 0; i < size; ++i)
                w[static_cast<std::size_t>(i)] += column[i] * v[j];
        }
        T across = 0;
        for (std::ptrdiff_t i = 0; i < size; ++i)
            across += conjugate(v[i]) * w[static_cast<std::size_t>(i)];
        const T both = tau * conjugate(tau) * across;
        for (std::ptrdiff_t j = 0; j < size; ++j) {
            T* const column = a.column(k + 1 + j) + k + 1;
            const T of_w = tau * conjugate(v[j]);
            const T of_v =
                conjugate(tau) * conjugate(w[static_cast<std::size_t>(j)]) - both * conjugate(v[j]);
            for (std::ptrdiff_t i = 0; i < size; ++i)
                column[i] -= of_w * w[static_cast<std::size_t>(i)] + of_v * v[i];
        }
    }
    for (std::ptrdiff_t k = 0; k < n; ++k) values[static_cast<std::size_t>(k)] = std::real(a(k, k));
    full_matrix<T> z(with_vectors ? n : 0, with_vectors ? n : 0);
    for (std::ptrdiff_t k = 0; k < n && with_vectors; ++k) z(k, k) = T(1);
    for (std::ptrdiff_t k = n - 1; k-- > 0 && with_vectors;)
        for (std::ptrdiff_t j = k + 1; j < n; ++j)
            apply_reflector(a.column(k) + k + 1, taus[static_cast<std::size_t>(k)],
                            z.column(j) + k + 1, n - k - 1);
    const std::ptrdiff_t missing = turn_to_diagonal(values, beside, with_vectors ? &z : nullptr);
    std::vector<std::ptrdiff_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    const std::vector<double> found = values;
    std::stable_sort(order.begin(), order.end(), [&](std::ptrdiff_t x, std::ptrdiff_t y) {
        return found[static_cast<std::size_t>(x)] < found[static_cast<std::size_t>(y)];
    });
    for (std::ptrdiff_t j = 0; j < n; ++j) {
        const std::ptrdiff_t from = order[static_cast<std::size_t>(j)];
        values[static_cast<std::size_t>(j)] = found[static_cast<std::size_t>(from)];
        if (with_vectors) std::copy(z.column(from), z.column(from) + n, a.column(j));
    }
    return missing;
}

template <class T>
struct singular_values {
    std::vector<double> values;  ///< descending
    full_matrix<T> left, right;  ///< A = left diag(values) right^H
    bool converged;
};

/// Singular values of m x n, m >= n, by Jacobi's rotations of columns of R, where A = Q R. Of the
/// left vectors the first `columns` are made, n to m. `a` is lost.
template <class T>
singular_values<T> find_singular_values(full_matrix<T>& a, std::ptrdiff_t n,
                                        std::ptrdiff_t columns) {
    constexpr int most_sweeps = 60;
    constexpr double precision = 4 * std::numeric_limits<double>::epsilon();
    const std::ptrdiff_t m = a.rows_apart;
    std::vector<T> tau(static_cast<std::size_t>(n));
    decompose_qr(a.all(), m, n, tau.data());
    full_matrix<T> g(n, n), v(n, n);
    for (std::ptrdiff_t j = 0; j < n; ++j) {
        std::copy(a.column(j), a.column(j) + j + 1, g.column(j));
        v(j, j) = T(1);
    }
    bool turned = true;
    for (int sweep = 0; sweep < most_sweeps && turned; ++sweep) {
        turned = false;
        for (std::ptrdiff_t p = 0; p < n; ++p)
            for (std::ptrdiff_t q = p + 1; q < n; ++q) {
                T *const x = g.column(p), *const y = g.column(q);
                double of_x = 0, of_y = 0;
                T across = 0;
                for (std::ptrdiff_t i = 0; i < n; ++i) {
                    of_x += std::norm(x[i]);
                    of_y += std::norm(y[i]);
                    across += conjugate(x[i]) * y[i];
                }
                const double size = std::abs(across);
                // NaN turns nothing, so that it ends the search.
                if (!(size > precision * std::sqrt(of_x) * std::sqrt(of_y))) continue;
                turned = true;
                const double zeta = (of_y - of_x) / (2 * size);
                const double t = (zeta >= 0 ? 1 : -1) / (std::abs(zeta) + std::hypot(zeta, 1.0));
                const double c = 1 / std::hypot(t, 1.0), s = c * t;
                const T phase = across / size;
                const auto turn = [&](T* one, T* other) {
                    for (std::ptrdiff_t i = 0; i < n; ++i) {
                        const T before = one[i];
                        one[i] = c * before - s * conjugate(phase) * other[i];
                        other[i] = s * phase * before + c * other[i];
                    }
                };
                turn(x, y);
                turn(v.column(p), v.column(q));
            }
    }
    std::vector<double> sizes(static_cast<std::size_t>(n));
    std::vector<std::ptrdiff_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    for (std::ptrdiff_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::ptrdiff_t i = 0; i < n; ++i) sum += std::norm(g(i, j));
        sizes[static_cast<std::size_t>(j)] = std::sqrt(sum);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::ptrdiff_t x, std::ptrdiff_t y) {
        return sizes[static_cast<std::size_t>(x)] > sizes[static_cast<std::size_t>(y)];
    });
    singular_values<T> found{std::vector<double>(static_cast<std::size_t>(n)),
                             full_matrix<T>(m, columns), full_matrix<T>(n, n),
                             !turned && std::none_of(sizes.begin(), sizes.end(),
                                                     [](double x) { return std::isnan(x); })};
    const double largest = n > 0 ? sizes[static_cast<std::size_t>(order[0])] : 0;
    std::ptrdiff_t rank = 0;
    for (std::ptrdiff_t j = 0; j < n; ++j) {
        const std::ptrdiff_t from = order[static_cast<std::size_t>(j)];
        const double size = sizes[static_cast<std::size_t>(from)];
        found.values[static_cast<std::size_t>(j)] = size;
        std::copy(v.column(from), v.column(from) + n, found.right.column(j));
        if (!(size > largest * std::numeric_limits<double>::epsilon() * static_cast<double>(n)))
            continue;
        T* const u = found.left.column(j);
        for (std::ptrdiff_t i = 0; i < n; ++i) u[i] = g(i, from) / size;
        apply_q<T>(a.all(), tau.data(), m, n, u, false);
        rank = j + 1;
    }
    if (rank == columns) return found;
    // The rest is orthogonal to the vectors that there are: more columns of their Q.
    full_matrix<T> q(m, rank);
    std::vector<T> of_q(static_cast<std::size_t>(rank));
    std::copy(found.left.data.begin(), found.left.data.begin() + m * rank, q.data.begin());
    decompose_qr(q.all(), m, rank, of_q.data());
    for (std::ptrdiff_t j = rank; j < columns; ++j) {
        found.left(j, j) = T(1);
        apply_q<T>(q.all(), of_q.data(), m, rank, found.left.column(j), false);
    }
    return found;
}

}  // namespace cuset_host
