// Products with the two narrow matrices of an adapter, in float. On a CPU each result depends on
// its own row and column alone, and the work is shared among LibTorch's threads. Private to
// lib/model.
#pragma once

#include <ATen/core/Tensor.h>

namespace cuset {

/// x [m × k] · wᵀ, w [n × k], for a small n.
at::Tensor row_products(const at::Tensor& x, const at::Tensor& w);

/// weights [m × n] · rows [n × k], for a small m or a small n.
at::Tensor weighted_rows(const at::Tensor& weights, const at::Tensor& rows);
/// Adds the same to y, which is dense.
void add_weighted_rows(const at::Tensor& weights, const at::Tensor& rows, const at::Tensor& y);

}  // namespace cuset
