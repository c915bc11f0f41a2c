// Matrix products with float results, for any type of weights.
#pragma once

#include <ATen/core/Tensor.h>

namespace cuset {

/// x·Wᵀ if `transposed`, else x·W, in float. x [rows × k] and W [n × k] (or [k × n]) are on one
/// device; W is dense. Float W: a float product, with x widened. bfloat16 W: x is rounded to
/// bfloat16 and the product accumulates in float; on a CPU that is fast only with bfloat16
/// instructions. Records nothing for autograd.
at::Tensor float_product(const at::Tensor& x, const at::Tensor& weight, bool transposed);

}  // namespace cuset
