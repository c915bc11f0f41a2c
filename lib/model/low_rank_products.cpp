#include "low_rank_products.h"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstdint>

#include "cuset/kernels/row_products.h"

namespace cuset {

namespace {

using kernels::product_mode;

/// Rows of a task, and columns: whole vectors of every instruction set.
constexpr std::int64_t task_rows = 48, task_columns = 64;

std::size_t unsign(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace

at::Tensor row_products(const at::Tensor& x, const at::Tensor& w) {
    if (!x.is_cpu()) return at::mm(x, w.t());
    const at::Tensor dense_x = x.contiguous(), dense_w = w.contiguous();
    const std::int64_t m = x.size(0), n = w.size(0), k = x.size(1);
    at::Tensor y = at::empty({m, n}, x.options());
    const auto* from = dense_x.const_data_ptr<float>();
    const auto* matrix = dense_w.const_data_ptr<float>();
    auto* to = y.data_ptr<float>();
    at::parallel_for(0, m, task_rows, [&](std::int64_t first, std::int64_t last) {
        kernels::row_products({unsign(last - first), unsign(n), unsign(k)}, from + first * k,
                              unsign(k), matrix, unsign(k), product_mode::set, to + first * n,
                              unsign(n));
    });
    return y;
}

at::Tensor weighted_rows(const at::Tensor& weights, const at::Tensor& rows) {
    if (!rows.is_cpu()) return at::mm(weights, rows);
    at::Tensor y = at::zeros({weights.size(0), rows.size(1)}, rows.options());
    add_weighted_rows(weights, rows, y);
    return y;
}

void add_weighted_rows(const at::Tensor& weights, const at::Tensor& rows, const at::Tensor& y) {
    if (!y.is_cpu()) {
        y.addmm_(weights, rows);
        return;
    }
    const at::Tensor dense_weights = weights.contiguous(), dense_rows = rows.contiguous();
    TORCH_CHECK(y.is_contiguous());
    const std::int64_t m = weights.size(0), n = weights.size(1), k = rows.size(1);
    const auto* p = dense_weights.const_data_ptr<float>();
    const auto* v = dense_rows.const_data_ptr<float>();
    auto* to = y.data_ptr<float>();
    const std::int64_t parts = (k + task_columns - 1) / task_columns;
    const std::int64_t strips = (m + task_rows - 1) / task_rows;
    at::parallel_for(0, strips * parts, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t task = begin; task < end; ++task) {
            const std::int64_t row = task / parts * task_rows;
            const std::int64_t column = task % parts * task_columns;
            kernels::weighted_rows({unsign(std::min(task_rows, m - row)), unsign(n),
                                    unsign(std::min(task_columns, k - column))},
                                   p + row * n, unsign(n), v + column, unsign(k), product_mode::add,
                                   to + row * k + column, unsign(k));
        }
    });
}

}  // namespace cuset
