#include "cuset/model/float_product.h"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

#include "products.h"

namespace cuset {

namespace {

/// Rows of x that one thread multiplies at a time.
constexpr std::int64_t strip_rows = 64;

at::Tensor bfloat16_product(const at::Tensor& x, const at::Tensor& weight, bool transposed) {
    using bits = kernels::bfloat16_bits;
    const std::int64_t rows = x.size(0), k = x.size(1);
    const std::int64_t n = weight.size(transposed ? 0 : 1), stride = weight.size(1);
    at::Tensor y = at::empty({rows, n}, x.options().dtype(at::kFloat));
    const auto* from = static_cast<const bits*>(x.const_data_ptr());
    const auto* matrix = static_cast<const bits*>(weight.const_data_ptr());
    float* to = y.data_ptr<float>();
    at::parallel_for(0, rows, strip_rows, [&](std::int64_t first, std::int64_t last) {
        const single_threaded_products alone;
        if (transposed) {
            product_transposed({last - first, n, k}, 1.0F, from + first * k, k, matrix, stride,
                               0.0F, to + first * n, n);
        } else {
            product({last - first, n, k}, from + first * k, k, matrix, stride, to + first * n, n);
        }
    });
    return y;
}

}  // namespace

at::Tensor float_product(const at::Tensor& x, const at::Tensor& weight, bool transposed) {
    const at::NoGradGuard plain;
    const at::Tensor matrix = transposed ? weight.t() : weight;
    if (weight.scalar_type() == at::kFloat) return at::mm(x.to(at::kFloat), matrix);
    const at::Tensor narrow = x.to(at::kBFloat16).contiguous();
    if (x.is_cuda()) return at::mm(narrow, matrix, at::kFloat);
    return bfloat16_product(narrow, weight, transposed);
}

}  // namespace cuset
