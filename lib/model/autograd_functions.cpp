#include "autograd_functions.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/ops/silu.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <utility>

#include "adapted_product.h"
#include "cuset/kernels/decoder_rows.h"
#include "cuset/model/device_kernels.h"
#include "cuset/model/float_product.h"

namespace cuset {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct captured_plan : torch::CustomClassHolder {
    explicit captured_plan(dropout_plan p) : plan(std::move(p)) {}
    dropout_plan plan;
};

/// y = dropout(x) · `scale`, or y += that; both are [rows × width] and dense.
void drop_out(const at::Tensor& x, const dropout_plan& plan, std::uint64_t site, double scale,
              bool add, const at::Tensor& y) {
    const auto type_of = [](const at::Tensor& t) {
        TORCH_CHECK(t.is_contiguous() &&
                    (t.scalar_type() == at::kFloat || t.scalar_type() == at::kBFloat16));
        return t.scalar_type() == at::kFloat ? kernels::dropout_type::float32
                                             : kernels::dropout_type::bfloat16;
    };
    kernels::dropout_rows rows;
    rows.x = x.const_data_ptr();
    rows.y = y.mutable_data_ptr();
    rows.x_type = type_of(x);
    rows.y_type = type_of(y);
    rows.add = add;
    rows.rows = static_cast<std::size_t>(x.size(0));
    rows.width = static_cast<std::size_t>(x.size(1));
    rows.samples = static_cast<const kernels::dropout_sample*>(plan.samples.const_data_ptr());
    rows.sample_count = static_cast<std::size_t>(plan.samples.numel() / 2);
    rows.site = site;
    rows.threshold = plan.threshold();
    rows.scale = static_cast<float>(scale);
    dropout(rows, x.device());
}

/// dropout(x), with the kept elements times `scale`.
at::Tensor dropped_out(const at::Tensor& x, const dropout_plan& plan, std::uint64_t site,
                       double scale) {
    if (plan.rate == 0) return x;
    const at::Tensor dense = x.contiguous();
    const at::Tensor y = at::empty_like(dense);
    drop_out(dense, plan, site, scale, false, y);
    return y;
}

/// Adds the same to `sum`.
void add_dropped_out(const at::Tensor& x, const dropout_plan& plan, std::uint64_t site,
                     double scale, const at::Tensor& sum) {
    if (plan.rate == 0)
        sum.add_(x);
    else
        drop_out(x.contiguous(), plan, site, scale, true, sum);
}

/// The product a·b of bfloat16 matrices, in float.
at::Tensor product_in_float(const at::Tensor& a, const at::Tensor& b) {
    return a.is_cpu() ? at::mm(a.to(at::kFloat), b.to(at::kFloat)) : at::mm(a, b, at::kFloat);
}

at::Tensor rounded(const at::Tensor& x) { return x.to(at::kBFloat16); }

bool is_float_on_cpu(const at::Tensor& x) { return x.is_cpu() && x.scalar_type() == at::kFloat; }

/// Whether kernels of our own take x. Inference mode is for GPUs and for the tests that run a GPU's
/// pass on a CPU, which are to run LibTorch's operators there too.
bool is_for_own_kernels(const at::Tensor& x) {
    return is_float_on_cpu(x) && !c10::InferenceMode::is_enabled();
}

/// Whether LibTorch's operators would mix types, or be slow: on some CPUs its products are.
bool is_for_float_products(const at::Tensor& x, const at::Tensor& weight) {
    return x.scalar_type() != weight.scalar_type() ||
           (is_for_own_kernels(x) && !weight.requires_grad());
}

at::Tensor base_product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    if (!is_for_float_products(x, weight))
        return bias.defined() ? at::linear(x, weight, bias) : at::linear(x, weight);
    at::Tensor y = float_product(x, weight, true);
    return bias.defined() ? y.add_(bias) : y;
}

/// dy · weight, in dy's type.
at::Tensor base_gradient(const at::Tensor& dy, const at::Tensor& weight) {
    if (!is_for_float_products(dy, weight)) return at::mm(dy, weight);
    return float_product(dy, weight, false);
}

struct captured_weight : torch::CustomClassHolder {
    explicit captured_weight(frozen_weight w) : weight(std::move(w)) {}
    frozen_weight weight;
};

/// Has a weight's codes kept for the backward pass; its tensor is saved as others are.
void keep_codes(AutogradContext* ctx, const frozen_weight& weight) {
    if (weight.codes != nullptr)
        ctx->saved_data["codes"] =
            c10::IValue::make_capsule(c10::make_intrusive<captured_weight>(weight));
}

/// W: the saved tensor, or made of the codes that were kept.
at::Tensor kept_matrix(AutogradContext* ctx, const at::Tensor& saved) {
    const auto found = ctx->saved_data.find("codes");
    if (found == ctx->saved_data.end()) return saved;
    const auto capsule = found->second.toCapsule();
    return static_cast<captured_weight*>(capsule.get())->weight.matrix();
}

struct adapted_linear_function : torch::autograd::Function<adapted_linear_function> {
    // Arguments without a gradient are passed by pointer: autograd takes every tensor for a
    // variable.
    static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& a,
                              const at::Tensor& b, const frozen_weight* weight,
                              const at::Tensor* bias, double scale, const dropout_plan& plan,
                              std::uint64_t site) {
        ctx->saved_data["scale"] = scale;
        ctx->saved_data["site"] = static_cast<std::int64_t>(site);
        ctx->saved_data["plan"] =
            c10::IValue::make_capsule(c10::make_intrusive<captured_plan>(plan));
        const at::Tensor matrix = weight->matrix();
        at::Tensor y, reduced;
        if (is_float_on_cpu(x)) {
            auto output = adapted_product(x, {matrix, a, b, scale, plan, site});
            y = std::move(output.y);
            reduced = std::move(output.reduced);
            if (bias->defined()) y.add_(*bias);
        } else if (x.scalar_type() == at::kFloat) {
            y = base_product(x, matrix, *bias);
            reduced = at::mm(dropped_out(x, plan, site, plan.kept_scale()), a.t());
            y.addmm_(reduced, b.t(), 1, scale);
        } else {
            y = base_product(x, matrix, *bias);
            reduced = rounded(product_in_float(dropped_out(x, plan, site, 1), rounded(a).t())
                                  .mul_(plan.kept_scale()));
            y.addmm_(reduced, rounded(b).t(), 1, scale);
        }
        ctx->save_for_backward({x, a, b, reduced, weight->tensor});
        keep_codes(ctx, *weight);
        return y;
    }

    static variable_list backward(AutogradContext* ctx, variable_list gradients) {
        const auto saved = ctx->get_saved_variables();
        const at::Tensor &x = saved[0], &a = saved[1], &b = saved[2], &reduced = saved[3];
        const at::Tensor& dy = gradients[0];
        const double scale = ctx->saved_data["scale"].toDouble();
        const auto site = static_cast<std::uint64_t>(ctx->saved_data["site"].toInt());
        const auto capsule = ctx->saved_data["plan"].toCapsule();
        const dropout_plan& plan = static_cast<captured_plan*>(capsule.get())->plan;
        const double kept = plan.kept_scale();
        const bool wanted = ctx->needs_input_grad(0);
        const at::Tensor weight = wanted ? kept_matrix(ctx, saved[4]) : at::Tensor();
        at::Tensor d_x, d_a, d_b;
        if (is_float_on_cpu(x)) {
            auto gradient = adapted_product_gradients(x, reduced, dy,
                                                      {weight, a, b, scale, plan, site}, wanted);
            return {gradient.x, gradient.a, gradient.b, {}, {}, {}, {}, {}};
        }
        if (x.scalar_type() == at::kFloat) {
            const at::Tensor d_reduced = at::mm(dy, b).mul_(scale);
            d_b = at::mm(dy.t(), reduced).mul_(scale);
            d_a = at::mm(d_reduced.t(), dropped_out(x, plan, site, kept));
            if (wanted) {
                d_x = base_gradient(dy, weight);
                add_dropped_out(at::mm(d_reduced, a), plan, site, kept, d_x);
            }
        } else {
            const at::Tensor d_reduced =
                rounded(product_in_float(dy, rounded(b)).mul_(scale * kept));
            d_b = product_in_float(dy.t(), reduced).mul_(scale);
            d_a = product_in_float(d_reduced.t(), dropped_out(x, plan, site, 1));
            if (wanted) {
                d_x = base_gradient(dy, weight);
                add_dropped_out(at::mm(d_reduced, rounded(a)), plan, site, 1, d_x);
            }
        }
        return {d_x, d_a, d_b, {}, {}, {}, {}, {}};
    }
};

/// The node captures the constants, which need no gradient.
struct rms_norm_function : torch::autograd::Function<rms_norm_function> {
    static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor* weight,
                              double epsilon) {
        const at::Tensor dense = x.contiguous();
        ctx->save_for_backward({dense, *weight});
        ctx->saved_data["epsilon"] = epsilon;
        at::Tensor y = at::empty_like(dense);
        for_rows(dense, [&](std::int64_t first, std::size_t rows, std::size_t width) {
            kernels::rms_norm(dense.const_data_ptr<float>() + first,
                              weight->const_data_ptr<float>(), static_cast<float>(epsilon), rows,
                              width, y.data_ptr<float>() + first);
        });
        return y;
    }

    static variable_list backward(AutogradContext* ctx, variable_list gradients) {
        const auto saved = ctx->get_saved_variables();
        const at::Tensor &x = saved[0], &weight = saved[1], dy = gradients[0].contiguous();
        const auto epsilon = static_cast<float>(ctx->saved_data["epsilon"].toDouble());
        at::Tensor dx = at::empty_like(x);
        for_rows(x, [&](std::int64_t first, std::size_t rows, std::size_t width) {
            kernels::rms_norm_gradient(
                x.const_data_ptr<float>() + first, weight.const_data_ptr<float>(), epsilon,
                dy.const_data_ptr<float>() + first, rows, width, dx.data_ptr<float>() + first);
        });
        return {dx, {}, {}};
    }

    /// Calls each(index of the first element, rows, width) for parts of x.
    template <class Each>
    static void for_rows(const at::Tensor& x, const Each& each) {
        const std::int64_t width = x.size(-1), rows = x.numel() / width;
        const std::int64_t grain = std::max<std::int64_t>(1, 32768 / width);
        at::parallel_for(0, rows, grain, [&](std::int64_t first, std::int64_t last) {
            each(first * width, static_cast<std::size_t>(last - first),
                 static_cast<std::size_t>(width));
        });
    }
};

struct gated_function : torch::autograd::Function<gated_function> {
    static constexpr std::int64_t grain = 32768;

    static at::Tensor forward(AutogradContext* ctx, const at::Tensor& gate, const at::Tensor& up) {
        ctx->save_for_backward({gate, up});
        at::Tensor y = at::empty_like(gate);
        at::parallel_for(0, gate.numel(), grain, [&](std::int64_t first, std::int64_t last) {
            kernels::swiglu(gate.const_data_ptr<float>() + first,
                            up.const_data_ptr<float>() + first,
                            static_cast<std::size_t>(last - first), y.data_ptr<float>() + first);
        });
        return y;
    }

    static variable_list backward(AutogradContext* ctx, variable_list gradients) {
        const auto saved = ctx->get_saved_variables();
        const at::Tensor &gate = saved[0], &up = saved[1], dy = gradients[0].contiguous();
        at::Tensor d_gate = at::empty_like(gate), d_up = at::empty_like(up);
        at::parallel_for(0, gate.numel(), grain, [&](std::int64_t first, std::int64_t last) {
            kernels::swiglu_gradient(
                gate.const_data_ptr<float>() + first, up.const_data_ptr<float>() + first,
                dy.const_data_ptr<float>() + first, static_cast<std::size_t>(last - first),
                d_gate.data_ptr<float>() + first, d_up.data_ptr<float>() + first);
        });
        return {d_gate, d_up};
    }
};

struct rotation_function : torch::autograd::Function<rotation_function> {
    static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const rotation* tables) {
        ctx->save_for_backward({tables->cosine, tables->negative_sine});
        return rotated_rows(x, tables->cosine, tables->sine);
    }

    // The inverse of a rotation is its transpose.
    static variable_list backward(AutogradContext* ctx, variable_list gradients) {
        const auto saved = ctx->get_saved_variables();
        return {rotated_rows(gradients[0], saved[0], saved[1]), {}};
    }

    static at::Tensor rotated_rows(const at::Tensor& x, const at::Tensor& cosine,
                                   const at::Tensor& sine) {
        const at::Tensor dense = x.contiguous();
        at::Tensor y = at::empty_like(dense);
        const std::int64_t heads = x.size(1), width = x.size(2), half = width / 2;
        at::parallel_for(0, x.size(0), 16, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t row = first; row < last; ++row) {
                for (std::int64_t head = 0; head < heads; ++head) {
                    const std::int64_t at = (row * heads + head) * width;
                    kernels::rotate(dense.const_data_ptr<float>() + at,
                                    cosine.const_data_ptr<float>() + row * half,
                                    sine.const_data_ptr<float>() + row * half,
                                    static_cast<std::size_t>(width), y.data_ptr<float>() + at);
                }
            }
        });
        return y;
    }
};

struct frozen_linear_function : torch::autograd::Function<frozen_linear_function> {
    static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x,
                              const frozen_weight* weight, const at::Tensor* bias) {
        ctx->save_for_backward({weight->tensor});
        keep_codes(ctx, *weight);
        return base_product(x, weight->matrix(), *bias);
    }
    static variable_list backward(AutogradContext* ctx, variable_list gradients) {
        const at::Tensor weight = kept_matrix(ctx, ctx->get_saved_variables()[0]);
        return {base_gradient(gradients[0], weight), {}, {}};
    }
};

}  // namespace

dropout_plan::dropout_plan(double element_rate, const std::vector<kernels::dropout_sample>& packed,
                           at::Device device)
    : rate(element_rate) {
    using sample = kernels::dropout_sample;
    static_assert(sizeof(sample) == 2 * sizeof(std::int64_t));
    if (rate > 0) samples = uploaded(packed.data(), 2 * std::ssize(packed), at::kLong, device);
}

at::Tensor adapted_linear(const at::Tensor& x, const frozen_weight& weight, const at::Tensor& bias,
                          const at::Tensor& a, const at::Tensor& b, double scale,
                          const dropout_plan& plan, std::uint64_t site) {
    return adapted_linear_function::apply(x, a, b, &weight, &bias, scale, plan, site);
}

at::Tensor frozen_linear(const at::Tensor& x, const frozen_weight& weight, const at::Tensor& bias) {
    // LibTorch's operator has gradients of the weight and the bias too, which a full fine-tuning
    // trains.
    if (weight.codes == nullptr && !is_for_float_products(x, weight.tensor))
        return base_product(x, weight.tensor, bias);
    return frozen_linear_function::apply(x, &weight, &bias);
}

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
    if (is_for_own_kernels(x) && !weight.requires_grad())
        return rms_norm_function::apply(x, &weight, epsilon);
    return at::rms_norm(x, {x.size(-1)}, weight, epsilon);
}

at::Tensor gated(const at::Tensor& gate, const at::Tensor& up) {
    if (is_for_own_kernels(gate)) return gated_function::apply(gate.contiguous(), up.contiguous());
    return at::silu(gate) * up;
}

at::Tensor rotated(const at::Tensor& x, const rotation& tables) {
    if (is_for_own_kernels(x)) return rotation_function::apply(x, &tables);
    const std::int64_t half = x.size(-1) / 2;
    const at::Tensor low = x.narrow(-1, 0, half), high = x.narrow(-1, half, half);
    const at::Tensor cosine = tables.cosine.unsqueeze(1), sine = tables.sine.unsqueeze(1);
    return at::cat({low * cosine - high * sine, high * cosine + low * sine}, -1);
}

}  // namespace cuset
