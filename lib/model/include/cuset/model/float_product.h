// Matrix products with float results, for any type of weights.
#pragma once

#include <ATen/core/Tensor.h>

namespace cuset {

/// A matrix W that one or more products use: x·Wᵀ if `transposed`, else x·W, in float.
///
/// Float W: a float product, with x widened. bfloat16 W: x is rounded to bfloat16 and the product
/// accumulates in float; on a CPU that is fast only with bfloat16 instructions.
class product_matrix {
public:
    /// W is dense, [n × k] if transposed, else [k × n]. On a CPU it is packed if products take
    /// packed matrices (chosen_products()): a copy that lives as long as the object, and costs as
    /// much as some 20 rows of a product. Otherwise W itself is kept.
    product_matrix(const at::Tensor& weight, bool transposed);

    /// x [rows × k] is on W's device. Records nothing for autograd.
    at::Tensor times(const at::Tensor& x) const;

private:
    at::Tensor weight_;
    at::Tensor packed_;  ///< undefined if W is used as it is
    bool transposed_;
};

/// The product of one x.
inline at::Tensor float_product(const at::Tensor& x, const at::Tensor& weight, bool transposed) {
    return product_matrix(weight, transposed).times(x);
}

}  // namespace cuset
