#include "cuset/train/optimizer.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

namespace cuset {

adamw::adamw(std::span<const trainable_parameter> parameters, const adamw_settings& settings)
    : settings_(settings) {
    const at::NoGradGuard plain;
    std::int64_t count = 0;
    for (const auto& parameter : parameters) count += parameter.value.numel();
    const auto options = parameters.front().value.options().requires_grad(false);
    gradient_ = at::zeros({count}, options);
    first_ = at::zeros({count}, options);
    second_ = at::zeros({count}, options);
    std::int64_t offset = 0;
    for (const auto& parameter : parameters) {
        const std::int64_t size = parameter.value.numel();
        const auto part = [&](const at::Tensor& flat) {
            return flat.narrow(0, offset, size).view(parameter.value.sizes());
        };
        parameters_.push_back(parameter.value);
        gradients_.push_back(part(gradient_));
        firsts_.push_back(part(first_));
        seconds_.push_back(part(second_));
        parameters_.back().mutable_grad() = gradients_.back();
        offset += size;
    }
}

double adamw::step(double learning_rate) {
    const at::NoGradGuard plain;
    // In double: a float sum over millions of squares would drift with the number of threads.
    const double norm = gradient_.norm(2, at::kDouble).item<double>();
    if (!std::isfinite(norm)) return norm;
    // As torch.nn.utils.clip_grad_norm_.
    if (settings_.clip > 0 && norm + 1e-6 > settings_.clip)
        gradient_.mul_(settings_.clip / (norm + 1e-6));
    const std::vector<at::Tensor> counters(
        parameters_.size(), at::full({}, static_cast<float>(steps_ + 1), gradient_.options()));
    at::_fused_adamw_(parameters_, gradients_, firsts_, seconds_, {}, counters, learning_rate,
                      settings_.beta1, settings_.beta2, settings_.weight_decay, settings_.epsilon,
                      false, false);
    ++steps_;
    gradient_.zero_();
    return norm;
}

}  // namespace cuset
