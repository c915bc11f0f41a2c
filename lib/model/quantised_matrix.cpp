#include "quantised_matrix.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "products.h"

namespace cuset {

namespace {

using kernels::bfloat16_bits;
using kernels::matrix_rows;
using kernels::nf4_block;

std::size_t unsign(std::int64_t value) { return static_cast<std::size_t>(value); }

constexpr std::int64_t block = nf4_block;

std::int64_t panel_outputs() { return static_cast<std::int64_t>(kernels::panel_columns()); }

/// What a thread's memory is for: parts that are used at the same time are apart.
enum class use : unsigned char { elements, scales, panel };

/// Uninitialised memory of this thread, kept from use to use.
template <use purpose, class T>
T* local(std::int64_t count) {
    thread_local scratch<T> memory;
    return memory.reserve(count);
}

}  // namespace

kernels::code_rows quantised_matrix::in_rows() const {
    const bool int8 = kind_ == quantisation::int8;
    return {.format = int8 ? kernels::code_format::int8 : kernels::code_format::nf4,
            .elements = unsign(rows_ * columns_),
            .columns = unsign(columns_),
            .codes = codes_,
            .nested = nested_,
            .scales = int8 ? row_scales_ : absmax_};
}

void quantised_matrix::read_absmax(std::size_t first, std::size_t count, float* to,
                                   std::size_t stride) const {
    if (absmax_ == nullptr) {
        kernels::read_scales(nested_, first, count, to, stride);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) to[i * stride] = absmax_[first + i];
}

const float* quantised_matrix::scales_of(std::int64_t first, std::int64_t outputs,
                                         std::int64_t column, std::int64_t columns) const {
    const std::int64_t width = panel_outputs();
    const std::int64_t blocks = kind_ == quantisation::nf4 ? (columns + block - 1) / block : 1;
    float* const scales = local<use::scales, float>(blocks * width);
    if (outputs < width) std::fill_n(scales, blocks * width, 0.0F);
    if (kind_ == quantisation::int8) {
        std::copy_n(row_scales_ + first, outputs, scales);
        return scales;
    }
    for (std::int64_t output = 0; output < outputs; ++output)
        read_absmax(unsign((first + output) * (columns_ / block) + column / block), unsign(blocks),
                    scales + output, unsign(width));
    return scales;
}

template <class Element>
void quantised_matrix::unpack(std::int64_t first, std::int64_t outputs, std::int64_t column,
                              std::int64_t columns, Element* to) const {
    const float* const scales = scales_of(first, outputs, column, columns);
    const std::size_t panel = unsign(first / panel_outputs()), k = unsign(columns_);
    const auto run = [&](const auto& kernel, const auto* codes) {
        if constexpr (std::is_same_v<Element, float>)
            kernel(codes, unsign(column), unsign(columns), scales, bfloat16_, to);
        else
            kernel(codes, unsign(column), unsign(columns), scales, to);
    };
    if (kind_ == quantisation::nf4)
        run([](auto... a) { kernels::unpack_nf4(a...); },
            codes_ + panel * kernels::nf4_panel_bytes(k));
    else
        run([](auto... a) { kernels::unpack_int8(a...); },
            reinterpret_cast<const std::int8_t*>(codes_ + panel * kernels::int8_panel_bytes(k)));
}

void quantised_matrix::read_flat(std::int64_t row, std::int64_t column, std::int64_t columns,
                                 float* to) const {
    kernels::dequantise(in_rows(), unsign(row * columns_ + column), unsign(columns), to);
    if (!bfloat16_) return;
    auto* const rounded = local<use::elements, bfloat16_bits>(columns);
    kernels::narrow(to, unsign(columns), rounded);
    kernels::widen(rounded, unsign(columns), to);
}

template <class Element>
void quantised_matrix::read(std::int64_t first, std::int64_t count, std::int64_t column,
                            std::int64_t columns, Element* to, std::int64_t stride) const {
    if (!in_panels_) {
        for (std::int64_t row = 0; row < count; ++row) {
            Element* const at = to + row * stride;
            if constexpr (std::is_same_v<Element, float>) {
                read_flat(first + row, column, columns, at);
            } else {
                float* const wide = local<use::elements, float>(columns);
                read_flat(first + row, column, columns, wide);
                kernels::narrow(wide, unsign(columns), at);
            }
        }
        return;
    }
    const std::int64_t width = panel_outputs();
    constexpr std::int64_t depth = std::is_same_v<Element, float> ? 1 : 2;
    Element* const panel = local<use::panel, Element>(
        static_cast<std::int64_t>(kernels::panel_stride(unsign(columns))));
    for (std::int64_t begin = 0; begin < count; begin += width) {
        const std::int64_t outputs = std::min(width, count - begin);
        unpack(first + begin, outputs, column, columns, panel);
        for (std::int64_t output = 0; output < outputs; ++output) {
            Element* const row = to + (begin + output) * stride;
            const Element* const from = panel + output * depth;
            for (std::int64_t i = 0; i < columns; ++i)
                row[i] = from[i / depth * depth * width + i % depth];
        }
    }
}

template <class Element>
void quantised_matrix::pack(std::int64_t first, std::int64_t count, std::int64_t column,
                            std::int64_t columns, Element* to) const {
    const std::int64_t width = panel_outputs();
    const auto panel = static_cast<std::int64_t>(kernels::panel_stride(unsign(columns)));
    if (in_panels_) {
        for (std::int64_t begin = 0; begin < count; begin += width, to += panel)
            unpack(first + begin, std::min(width, count - begin), column, columns, to);
        return;
    }
    std::vector<Element> rows(unsign(std::min(width, count) * columns));
    for (std::int64_t begin = 0; begin < count; begin += width, to += panel) {
        const std::int64_t outputs = std::min(width, count - begin);
        read(first + begin, outputs, column, columns, rows.data(), columns);
        kernels::pack(matrix_rows::outputs, unsign(outputs), unsign(columns), rows.data(),
                      unsign(columns), to);
    }
}

/// False if it has to be unpacked first.
bool quantised_matrix::multiply_fused(std::int64_t rows, const bfloat16_bits* x, std::int64_t first,
                                      std::int64_t outputs, std::int64_t column,
                                      std::int64_t columns, product_mode mode, float* y,
                                      std::int64_t stride) const {
    if (!in_panels_ || outputs != panel_outputs() || columns % 2 != 0 ||
        rows > std::int64_t{kernels::fused_rows})
        return false;
    const std::size_t panel = unsign(first / panel_outputs()), k = unsign(columns_);
    const auto run = [&](const auto product, const auto* codes) {
        if (product == nullptr) return false;
        product({unsign(rows), unsign(outputs), unsign(columns)}, x, k, codes, unsign(column),
                scales_of(first, outputs, column, columns), mode, y, unsign(stride));
        return true;
    };
    if (kind_ == quantisation::nf4)
        return run(kernels::nf4_product(), codes_ + panel * kernels::nf4_panel_bytes(k));
    return run(kernels::int8_product(),
               reinterpret_cast<const std::int8_t*>(codes_ + panel * kernels::int8_panel_bytes(k)));
}

/// Inputs are taken a piece at a time, so that what is unpacked stays in the nearest cache, and
/// every number of rows has the same sums.
template <class Element, class Input>
void quantised_matrix::multiply_as(std::int64_t rows, const Input* x, std::int64_t first,
                                   std::int64_t outputs, product_mode mode, float* y,
                                   std::int64_t stride) const {
    constexpr std::int64_t piece = kernels::fused_inputs;
    static_assert(piece % block == 0);
    Element* const panel = local<use::panel, Element>(packed_elements(1, piece));
    for (std::int64_t column = 0; column < columns_; column += piece) {
        const std::int64_t inputs = std::min(piece, columns_ - column);
        if constexpr (std::is_same_v<Input, bfloat16_bits>) {
            if (multiply_fused(rows, x + column, first, outputs, column, inputs, mode, y, stride)) {
                mode = product_mode::add;
                continue;
            }
        }
        pack(first, outputs, column, inputs, panel);
        product_operand<Element> operand = packed_operand<Element>(panel, inputs);
        // A product fetches the panel behind its own. There is none, so it shall be the same one.
        operand.stride = 0;
        product({rows, outputs, inputs}, x + column, columns_, operand, mode, y, stride);
        mode = product_mode::add;
    }
}

template <class Input>
void quantised_matrix::multiply(std::int64_t rows, const Input* x, std::int64_t first,
                                std::int64_t outputs, product_mode mode, float* y,
                                std::int64_t stride) const {
    if constexpr (std::is_same_v<Input, bfloat16_bits>) {
        multiply_as<bfloat16_bits>(rows, x, first, outputs, mode, y, stride);
    } else if (bfloat16_) {
        multiply_as<bfloat16_bits>(rows, x, first, outputs, mode, y, stride);
    } else {
        multiply_as<float>(rows, x, first, outputs, mode, y, stride);
    }
}

template void quantised_matrix::multiply(std::int64_t, const float*, std::int64_t, std::int64_t,
                                         product_mode, float*, std::int64_t) const;
template void quantised_matrix::multiply(std::int64_t, const bfloat16_bits*, std::int64_t,
                                         std::int64_t, product_mode, float*, std::int64_t) const;
template void quantised_matrix::pack(std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                                     float*) const;
template void quantised_matrix::pack(std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                                     bfloat16_bits*) const;
template void quantised_matrix::read(std::int64_t, std::int64_t, std::int64_t, std::int64_t, float*,
                                     std::int64_t) const;
template void quantised_matrix::read(std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                                     bfloat16_bits*, std::int64_t) const;

}  // namespace cuset
