// Matrix products with float results, whatever the type of the weights.
#pragma once

#include <ATen/core/Tensor.h>

namespace cuset {

/// x·Wᵀ for `transposed`, else x·W, in float. x [rows × k] and W [n × k] (or [k × n]) are on one
/// device, W dense. W float: a float product, x widened. W bfloat16: x is rounded to bfloat16 and
/// the product accumulates in float; on a CPU that is fast only where it has such instructions.
/// Records nothing for autograd.
at::Tensor float_product(const at::Tensor& x, const at::Tensor& weight, bool transposed);

}  // namespace cuset
