// Matrix products on the CPU, row-major: C (+)= A·B; C is always float. chosen_products() says who
// computes them. Private to lib/model.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuset/kernels/packed_products.h"
#include "cuset/model/product_choice.h"

namespace cuset {

using kernels::matrix_rows;
using kernels::product_mode;

struct product_size {
    std::int64_t m, n, k;
};

/// While it lives, MKL's products that this thread calls run on this thread alone.
class single_threaded_products {
public:
    single_threaded_products();
    single_threaded_products(const single_threaded_products&) = delete;
    single_threaded_products& operator=(const single_threaded_products&) = delete;
    ~single_threaded_products();

private:
    int before_;
};

/// Whether products of this type of input take packed matrices.
template <class Element>
bool takes_packed_matrices() {
    const auto& choice = chosen_products();
    return (std::is_same_v<Element, float> ? choice.single : choice.bfloat16) ==
           product_provider::own;
}

/// The matrix B of a product: as stored for MKL, packed for the own kernels.
template <class Element>
struct product_operand {
    const Element* data = nullptr;
    std::int64_t stride = 0;  ///< elements from one row to the next or, if packed, between panels
    matrix_rows rows = matrix_rows::outputs;  ///< as stored
    bool packed = false;

    /// The outputs from `first` on, which must be a multiple of operand_outputs.
    product_operand from_output(std::int64_t first) const;
};

/// Operands may be cut at multiples of this many outputs: whole panels of every instruction set.
inline constexpr std::int64_t operand_outputs = 64;

/// Packs outputs [first, first + count) of a matrix of k inputs, to where they belong in `to`, the
/// packed form of all outputs; `first` must be a multiple of operand_outputs. `stored` is the whole
/// matrix.
template <class Element, class Stored>
void pack_outputs(matrix_rows rows, std::int64_t first, std::int64_t count, std::int64_t k,
                  const Stored* stored, std::int64_t stride, Element* to);

/// The operand that pack_outputs() has made of a matrix with k inputs.
template <class Element>
product_operand<Element> packed_operand(const Element* packed, std::int64_t k) {
    return {packed, static_cast<std::int64_t>(kernels::panel_stride(static_cast<std::size_t>(k))),
            matrix_rows::outputs, true};
}

/// Rows of A that a product with a packed matrix takes at a time. Other numbers of rows waste a
/// part of the last step.
template <class Element>
std::int64_t product_rows() {
    const auto& kernels = kernels::packed_product_kernels(kernels::active_instruction_set());
    return static_cast<std::int64_t>(std::is_same_v<Element, float> ? kernels.rows
                                                                    : kernels.rows_bfloat16);
}

inline std::int64_t packed_elements(std::int64_t n, std::int64_t k) {
    return static_cast<std::int64_t>(
        kernels::packed_elements(static_cast<std::size_t>(n), static_cast<std::size_t>(k)));
}

/// C [m × n] (+)= A [m × k] · B. The work stays on this thread if B is packed; else MKL shares it
/// among LibTorch's threads, unless single_threaded_products forbids it.
void product(product_size size, const float* a, std::int64_t stride_a,
             const product_operand<float>& b, product_mode mode, float* c, std::int64_t stride_c);
void product(product_size size, const kernels::bfloat16_bits* a, std::int64_t stride_a,
             const product_operand<kernels::bfloat16_bits>& b, product_mode mode, float* c,
             std::int64_t stride_c);
/// The same with B widened to float, bit for bit what the float product gives. MKL has no such
/// product: B must be packed.
void product(product_size size, const float* a, std::int64_t stride_a,
             const product_operand<kernels::bfloat16_bits>& b, product_mode mode, float* c,
             std::int64_t stride_c);
void product(product_size size, const float* a, std::int64_t stride_a,
             const product_operand<kernels::float16_bits>& b, product_mode mode, float* c,
             std::int64_t stride_c);

template <class Element, class Stored>
void pack_outputs(matrix_rows rows, std::int64_t first, std::int64_t count, std::int64_t k,
                  const Stored* stored, std::int64_t stride, Element* to) {
    kernels::pack(rows, static_cast<std::size_t>(count), static_cast<std::size_t>(k),
                  stored + first * (rows == matrix_rows::outputs ? stride : 1),
                  static_cast<std::size_t>(stride), to + packed_elements(first, k));
}

template <class Element>
product_operand<Element> product_operand<Element>::from_output(std::int64_t first) const {
    product_operand part = *this;
    if (packed)
        part.data += first / static_cast<std::int64_t>(kernels::panel_columns()) * stride;
    else
        part.data += rows == matrix_rows::outputs ? first * stride : first;
    return part;
}

}  // namespace cuset
