#include "cuset/model/float_product.h"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

#include <algorithm>

#include "products.h"

namespace cuset {

namespace {

using kernels::bfloat16_bits;

/// Rows of a task: they stay in a core's cache while the matrix passes by.
constexpr std::int64_t task_rows = 96;

/// Calls run(first, count) for outputs [0, n) on LibTorch's threads, in multiples of
/// operand_outputs.
template <class Run>
void for_outputs(std::int64_t n, const Run& run) {
    const std::int64_t blocks = (n + operand_outputs - 1) / operand_outputs;
    at::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t first = begin * operand_outputs;
        run(first, std::min(end * operand_outputs, n) - first);
    });
}

template <class Element>
at::Tensor packed(const at::Tensor& weight, bool transposed) {
    const std::int64_t n = weight.size(transposed ? 0 : 1), k = weight.size(transposed ? 1 : 0);
    at::Tensor to = at::empty({packed_elements(n, k)}, weight.options());
    const auto rows = transposed ? matrix_rows::outputs : matrix_rows::inputs;
    const auto* from = static_cast<const Element*>(weight.const_data_ptr());
    auto* elements = static_cast<Element*>(to.mutable_data_ptr());
    for_outputs(n, [&](std::int64_t first, std::int64_t count) {
        pack_outputs(rows, first, count, k, from, weight.size(1), elements);
    });
    return to;
}

template <class Element>
void multiply(product_size size, const at::Tensor& x, const product_operand<Element>& b,
              const at::Tensor& y) {
    const auto* from = static_cast<const Element*>(x.const_data_ptr());
    auto* to = y.data_ptr<float>();
    if (!b.packed) {  // MKL itself shares the work among LibTorch's threads
        product(size, from, size.k, b, product_mode::set, to, size.n);
        return;
    }
    const std::int64_t strips = (size.m + task_rows - 1) / task_rows;
    // Each thread takes outputs of its own if there are too few rows for all.
    const std::int64_t blocks = (size.n + operand_outputs - 1) / operand_outputs;
    const std::int64_t parts = std::min(
        blocks, (4 * at::get_num_threads() + strips - 1) / std::max<std::int64_t>(1, strips));
    at::parallel_for(0, strips * parts, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t task = begin; task < end; ++task) {
            const std::int64_t row = task / parts * task_rows, part = task % parts;
            const std::int64_t first = blocks * part / parts * operand_outputs;
            const std::int64_t last =
                std::min(size.n, blocks * (part + 1) / parts * operand_outputs);
            product({std::min(task_rows, size.m - row), last - first, size.k}, from + row * size.k,
                    size.k, b.from_output(first), product_mode::set, to + row * size.n + first,
                    size.n);
        }
    });
}

template <class Element>
void multiply(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& packed,
              bool transposed, const at::Tensor& y) {
    const std::int64_t k = x.size(1);
    product_operand<Element> b;
    if (packed.defined()) {
        b = packed_operand(static_cast<const Element*>(packed.const_data_ptr()), k);
    } else {
        b = {static_cast<const Element*>(weight.const_data_ptr()), weight.size(1),
             transposed ? matrix_rows::outputs : matrix_rows::inputs};
    }
    multiply({x.size(0), y.size(1), k}, x, b, y);
}

}  // namespace

product_matrix::product_matrix(const at::Tensor& weight, bool transposed)
    : weight_(weight.detach()), transposed_(transposed) {
    if (!weight.is_cpu()) return;
    const at::NoGradGuard plain;
    TORCH_CHECK(weight.is_contiguous() &&
                    (weight.scalar_type() == at::kFloat || weight.scalar_type() == at::kBFloat16),
                "product_matrix: invalid weight");
    const bool single = weight.scalar_type() == at::kFloat;
    if (single && takes_packed_matrices<float>()) packed_ = packed<float>(weight_, transposed);
    if (!single && takes_packed_matrices<bfloat16_bits>())
        packed_ = packed<bfloat16_bits>(weight_, transposed);
}

at::Tensor product_matrix::times(const at::Tensor& x) const {
    const at::NoGradGuard plain;
    const at::ScalarType type = weight_.scalar_type();
    const at::Tensor inputs = x.to(type).contiguous();
    if (!weight_.is_cpu()) {
        const at::Tensor matrix = transposed_ ? weight_.t() : weight_;
        return type == at::kFloat ? at::mm(inputs, matrix) : at::mm(inputs, matrix, at::kFloat);
    }
    at::Tensor y =
        at::empty({x.size(0), weight_.size(transposed_ ? 0 : 1)}, x.options().dtype(at::kFloat));
    if (type == at::kFloat)
        multiply<float>(inputs, weight_, packed_, transposed_, y);
    else
        multiply<bfloat16_bits>(inputs, weight_, packed_, transposed_, y);
    return y;
}

}  // namespace cuset
