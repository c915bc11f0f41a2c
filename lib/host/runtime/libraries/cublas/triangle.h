// One triangle of a square matrix in the forms in which BLAS stores it.
#pragma once

#include "handle.h"

namespace cuset_host {

/// Element (i, j) lies at data[start(j) + i], for rows i of [begin(j), end(j)).
template <class T>
struct triangle {
    enum class form : unsigned char { plain, packed, banded };

    T* data;
    std::ptrdiff_t order;
    bool is_lower;
    form kind = form::packed;
    std::ptrdiff_t columns_apart = 0;  ///< of those that are not packed
    std::ptrdiff_t band = order;       ///< diagonals beside the main one

    std::ptrdiff_t start(std::ptrdiff_t j) const {
        if (kind == form::plain) return j * columns_apart;
        if (kind == form::banded) return j * columns_apart - j + (is_lower ? 0 : band);
        return is_lower ? (2 * order - j - 1) * j / 2 : j * (j + 1) / 2;
    }
    std::ptrdiff_t begin(std::ptrdiff_t j) const {
        return is_lower ? j : std::max<std::ptrdiff_t>(0, j - band);
    }
    std::ptrdiff_t end(std::ptrdiff_t j) const {
        return is_lower ? std::min(order, j + band + 1) : j + 1;
    }
    T& operator()(std::ptrdiff_t i, std::ptrdiff_t j) const { return data[start(j) + i]; }
};

template <class T>
triangle<T> plain_triangle(T* a, std::ptrdiff_t lda, std::ptrdiff_t n, cublasFillMode_t fill) {
    return {a, n, fill == CUBLAS_FILL_MODE_LOWER, triangle<T>::form::plain, lda};
}
template <class T>
triangle<T> packed_triangle(T* a, std::ptrdiff_t n, cublasFillMode_t fill) {
    return {a, n, fill == CUBLAS_FILL_MODE_LOWER};
}
template <class T>
triangle<T> banded_triangle(T* a, std::ptrdiff_t lda, std::ptrdiff_t n, std::ptrdiff_t band,
                            cublasFillMode_t fill) {
    return {a, n, fill == CUBLAS_FILL_MODE_LOWER, triangle<T>::form::banded, lda, band};
}

}  // namespace cuset_host
