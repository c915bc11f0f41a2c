// What the descriptors of cuBLASLt hold here: a program sees them as numbers without meaning.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <cstring>

#include "products.h"

namespace cuset_host {

struct lt_layout {
    std::uint32_t type, order;
    std::uint64_t rows, columns;
    std::int64_t apart;  ///< columns, or rows where the order is by rows
    std::int32_t count;
    std::int64_t step;  ///< from one matrix of a batch to the next
};

struct lt_product {
    std::int32_t compute, scale, pointers, turns_a, turns_b, turns_c, fill;
    std::uint32_t epilogue;
    const void* bias;
    std::int64_t bias_step;
    void* aux;
    std::int64_t aux_apart, aux_step, alpha_step;
    std::int32_t processors;
    std::int32_t bias_type, aux_type;  ///< -1: as D's
    std::int8_t fast;
};

struct lt_transform {
    std::int32_t scale, pointers, turns_a, turns_b;
};

struct lt_preference {
    std::uint32_t search;
    std::uint64_t workspace;
    std::uint32_t reductions, alignment[4];
    float waves;
    std::uint64_t implementations;
};

/// The descriptor's own words as one of the above.
template <class What, class Opaque>
What& opened(Opaque* opaque) {
    static_assert(sizeof(What) <= sizeof(Opaque) && alignof(What) <= alignof(Opaque));
    return *reinterpret_cast<What*>(opaque->data);
}

/// Copies an attribute of exactly the member's size, in or out.
template <class T>
cublasStatus_t set_attribute(T& member, const void* from, std::size_t bytes) {
    if (from == nullptr || bytes != sizeof(T)) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(&member, from, sizeof(T));
    return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t get_attribute(const T& member, void* to, std::size_t bytes, std::size_t* written) {
    if (written != nullptr) *written = sizeof(T);
    if (bytes == 0 && written != nullptr) return CUBLAS_STATUS_SUCCESS;
    if (to == nullptr || bytes < sizeof(T)) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(to, &member, sizeof(T));
    return CUBLAS_STATUS_SUCCESS;
}

/// The places of a layout's elements. Ends the program for orders other than columns and rows.
struct lt_places {
    lt_places(const lt_layout& layout, const char* what)
        : by_rows(layout.order == CUBLASLT_ORDER_ROW), apart(layout.apart) {
        if (!by_rows && layout.order != CUBLASLT_ORDER_COL)
            fail("unsupported", std::string(what) + " of matrices in tiles");
    }
    std::ptrdiff_t operator()(std::ptrdiff_t i, std::ptrdiff_t j) const {
        return by_rows ? i * apart + j : i + j * apart;
    }
    bool by_rows;
    std::ptrdiff_t apart;
};

inline bool is_bad(const lt_layout& layout) {
    const std::uint64_t least = layout.order == CUBLASLT_ORDER_ROW ? layout.columns : layout.rows;
    return layout.count < 1 || layout.apart < static_cast<std::int64_t>(least);
}

}  // namespace cuset_host
