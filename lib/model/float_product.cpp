#include "cuset/model/float_product.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

#include "products.h"

namespace cuset {

namespace {

at::Tensor bfloat16_product(const at::Tensor& x, const at::Tensor& weight, bool transposed) {
    using bits = kernels::bfloat16_bits;
    const std::int64_t rows = x.size(0), k = x.size(1);
    const std::int64_t n = weight.size(transposed ? 0 : 1), stride = weight.size(1);
    at::Tensor y = at::empty({rows, n}, x.options().dtype(at::kFloat));
    const auto* from = static_cast<const bits*>(x.const_data_ptr());
    const auto* matrix = static_cast<const bits*>(weight.const_data_ptr());
    float* to = y.data_ptr<float>();
    // MKL itself shares the work among LibTorch's threads.
    if (transposed)
        product_transposed({rows, n, k}, 1.0F, from, k, matrix, stride, 0.0F, to, n);
    else
        product({rows, n, k}, from, k, matrix, stride, to, n);
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
