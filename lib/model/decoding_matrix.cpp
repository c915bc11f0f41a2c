#include "decoding_matrix.h"

#include <algorithm>

namespace cuset {

decoding_matrix::decoding_matrix(const weight_matrix& matrix, task_pool& pool, large_pages& memory)
    : outputs_(matrix.rows), inputs_(matrix.columns), quantised_(matrix.quantised) {
    if (quantised_ != nullptr) return;
    const auto pack = [&]<class Element>(const Element*& packed) {
        const auto elements = static_cast<std::size_t>(packed_elements(outputs_, inputs_));
        auto* const to = static_cast<Element*>(memory.take(elements * sizeof(Element)));
        packed = to;
        const auto* stored = static_cast<const Element*>(matrix.data);
        pool.run((outputs_ + operand_outputs - 1) / operand_outputs, [&](std::int64_t block) {
            const std::int64_t first = block * operand_outputs;
            pack_outputs(matrix_rows::outputs, first, std::min(operand_outputs, outputs_ - first),
                         inputs_, stored, inputs_, to);
        });
    };
    switch (matrix.type) {
        case element_type::bf16: pack(packed_.emplace<const kernels::bfloat16_bits*>()); break;
        case element_type::f16: pack(packed_.emplace<const kernels::float16_bits*>()); break;
        default: pack(packed_.emplace<const float*>());
    }
}

template <class Input>
void decoding_matrix::multiply_quantised(std::int64_t rows, const Input* x, std::int64_t first,
                                         std::int64_t count, product_mode mode, float* y,
                                         std::int64_t stride) const {
    const auto width = static_cast<std::int64_t>(kernels::panel_columns());
    for (std::int64_t done = 0; done < count; done += width)
        quantised_->multiply(rows, x, first + done, std::min(width, count - done), mode, y + done,
                             stride);
}

void decoding_matrix::multiply(std::int64_t rows, const float* x, std::int64_t first,
                               std::int64_t count, product_mode mode, float* y,
                               std::int64_t stride) const {
    if (quantised_ != nullptr) {
        multiply_quantised(rows, x, first, count, mode, y, stride);
        return;
    }
    std::visit(
        [&](const auto* memory) {
            product({rows, count, inputs_}, x, inputs_,
                    packed_operand(memory, inputs_).from_output(first), mode, y, stride);
        },
        packed_);
}

void decoding_matrix::multiply(std::int64_t rows, const kernels::bfloat16_bits* x,
                               std::int64_t first, std::int64_t count, product_mode mode, float* y,
                               std::int64_t stride) const {
    if (quantised_ != nullptr) {
        multiply_quantised(rows, x, first, count, mode, y, stride);
        return;
    }
    const auto* memory = std::get<const kernels::bfloat16_bits*>(packed_);
    product({rows, count, inputs_}, x, inputs_, packed_operand(memory, inputs_).from_output(first),
            mode, y, stride);
}

bool decoding_matrix::takes_bfloat16() const {
    const bool bfloat16 = quantised_ != nullptr
                              ? quantised_->is_bfloat16()
                              : std::holds_alternative<const kernels::bfloat16_bits*>(packed_);
    return bfloat16 && kernels::has_bfloat16_products();
}

void decoding_matrix::read_output(std::int64_t output, float* to) const {
    std::visit(
        [&](const auto* memory) {
            kernels::unpack_output(static_cast<std::size_t>(output),
                                   static_cast<std::size_t>(inputs_), memory, to);
        },
        packed_);
}

}  // namespace cuset
