#include "autograd_functions.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

#include "cuset/base/random_key.h"
#include "cuset/kernels/decoder_rows.h"
#include "cuset/model/float_product.h"

namespace cuset {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::uint32_t low_bits = 0xffffffffU;

/// p · 2^32 in the terms of kernels::dropout.
std::uint32_t threshold(double rate) { return static_cast<std::uint32_t>(rate * 0x1p32); }

/// kernels::dropout's mask in LibTorch's operators, for a GPU. Products of 32-bit numbers wrap in
/// 64 bits, whose lower half is what counts.
at::Tensor kept_elements(std::int64_t count, std::uint64_t key, std::uint32_t least,
                         at::Device device) {
    const auto half = [](std::uint64_t bits) { return static_cast<std::int64_t>(bits & low_bits); };
    const auto shifted = [](const at::Tensor& h, std::int64_t by) { return at::__rshift__(h, by); };
    at::Tensor h = at::arange(count, at::TensorOptions().dtype(at::kLong).device(device));
    h = (h + half(key)).bitwise_and(half(low_bits));
    h = (h.bitwise_xor(shifted(h, 16)) * 0x85ebca6bL).bitwise_and(half(low_bits));
    h = h.bitwise_xor(half(key >> 32));
    h = (h.bitwise_xor(shifted(h, 13)) * 0xc2b2ae35L).bitwise_and(half(low_bits));
    h = (h.bitwise_xor(shifted(h, 16)) * 0x9e3779b1L).bitwise_and(half(low_bits));
    h = h.bitwise_xor(shifted(h, 15));
    return h.ge(static_cast<std::int64_t>(least));
}

struct captured_plan : torch::CustomClassHolder {
    explicit captured_plan(dropout_plan p) : plan(std::move(p)) {}
    dropout_plan plan;
};

struct low_rank_function : torch::autograd::Function<low_rank_function> {
    static at::Tensor forward(AutogradContext* ctx, const at::Tensor& base, const at::Tensor& x,
                              const at::Tensor& a, const at::Tensor& b, double scale,
                              const dropout_plan& plan, std::uint64_t site) {
        const at::Tensor reduced = at::mm(dropped_out(x.to(at::kFloat), plan, site), a.t());
        ctx->save_for_backward({x, a, b, reduced});
        ctx->saved_data["scale"] = scale;
        ctx->saved_data["site"] = static_cast<std::int64_t>(site);
        ctx->saved_data["plan"] =
            c10::IValue::make_capsule(c10::make_intrusive<captured_plan>(plan));
        return at::addmm(base.to(at::kFloat), reduced, b.t(), 1, scale).to(base.scalar_type());
    }

    static variable_list backward(AutogradContext* ctx, variable_list gradients) {
        const auto saved = ctx->get_saved_variables();
        const at::Tensor &x = saved[0], &a = saved[1], &b = saved[2], &reduced = saved[3];
        const double scale = ctx->saved_data["scale"].toDouble();
        const auto site = static_cast<std::uint64_t>(ctx->saved_data["site"].toInt());
        const auto capsule = ctx->saved_data["plan"].toCapsule();
        const dropout_plan& plan = static_cast<captured_plan*>(capsule.get())->plan;
        const at::Tensor dy = gradients[0].to(at::kFloat);
        const at::Tensor d_reduced = at::mm(dy, b).mul_(scale);
        const at::Tensor d_b = at::mm(dy.t(), reduced).mul_(scale);
        const at::Tensor d_a = at::mm(d_reduced.t(), dropped_out(x.to(at::kFloat), plan, site));
        at::Tensor d_x;
        if (ctx->needs_input_grad(1))
            d_x = dropped_out(at::mm(d_reduced, a), plan, site).to(x.scalar_type());
        return {gradients[0], d_x, d_a, d_b, {}, {}, {}};
    }
};

struct bfloat16_linear_function : torch::autograd::Function<bfloat16_linear_function> {
    static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& weight) {
        ctx->save_for_backward({weight});
        return float_product(x, weight, true);
    }
    static variable_list backward(AutogradContext* ctx, variable_list gradients) {
        return {float_product(gradients[0], ctx->get_saved_variables()[0], false), {}};
    }
};

}  // namespace

at::Tensor dropped_out(const at::Tensor& x, const dropout_plan& plan, std::uint64_t site) {
    if (plan.rate == 0) return x;
    const auto scale = static_cast<float>(1 / (1 - plan.rate));
    const std::uint32_t least = threshold(plan.rate);
    const std::int64_t width = x.size(1);
    if (!x.is_cpu()) {
        std::vector<at::Tensor> masks;
        for (const auto& rows : plan.rows) {
            masks.push_back(kept_elements((rows.end - rows.begin) * width,
                                          mixed_key(rows.key, site), least, x.device()));
        }
        return at::where(at::cat(masks).view({-1, width}), x * scale, 0.0);
    }
    const at::Tensor dense = x.contiguous();
    at::Tensor y = at::empty_like(dense);
    const float* from = dense.const_data_ptr<float>();
    float* to = y.data_ptr<float>();
    for (const auto& rows : plan.rows) {
        const std::uint64_t key = mixed_key(rows.key, site);
        at::parallel_for(rows.begin, rows.end, 64, [&](std::int64_t first, std::int64_t last) {
            kernels::dropout(
                from + first * width, key, static_cast<std::uint32_t>((first - rows.begin) * width),
                static_cast<std::size_t>((last - first) * width), least, scale, to + first * width);
        });
    }
    return y;
}

at::Tensor low_rank_sum(const at::Tensor& base, const at::Tensor& x, const at::Tensor& a,
                        const at::Tensor& b, double scale, const dropout_plan& plan,
                        std::uint64_t site) {
    return low_rank_function::apply(base, x, a, b, scale, plan, site);
}

at::Tensor frozen_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    if (x.scalar_type() == weight.scalar_type()) {
        return bias.defined() ? at::linear(x, weight, bias) : at::linear(x, weight);
    }
    const at::Tensor y = bfloat16_linear_function::apply(x, weight);
    return bias.defined() ? y + bias : y;
}

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
    return at::rms_norm(x, {x.size(-1)}, weight, epsilon);
}

at::Tensor gated(const at::Tensor& gate, const at::Tensor& up) { return at::silu(gate) * up; }

}  // namespace cuset
