#include "cuset/train/optimizer.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <cstring>

#include "cuset/model/device_kernels.h"

namespace cuset {

namespace {

template <class T>
at::Tensor uploaded_bytes(std::span<const T> values, at::Device device) {
    return uploaded(values.data(), static_cast<std::int64_t>(values.size_bytes()), at::kByte,
                    device);
}

}  // namespace

adamw::adamw(std::span<const trainable_parameter> parameters, const adamw_settings& settings) {
    const at::NoGradGuard plain;
    std::int64_t count = 0;
    for (const auto& parameter : parameters) count += parameter.value.numel();
    const auto options = parameters.front().value.options().requires_grad(false);
    const at::Device device = options.device();
    gradient_ = at::zeros({count}, options);
    first_ = at::zeros({count}, options);
    second_ = at::zeros({count}, options);

    std::vector<kernels::adamw_tensor> table;
    std::int64_t offset = 0;
    for (const auto& parameter : parameters) {
        const std::int64_t size = parameter.value.numel();
        const at::Tensor gradient = gradient_.narrow(0, offset, size);
        parameters_.push_back(parameter.value);
        parameters_.back().mutable_grad() = gradient.view(parameter.value.sizes());
        table.push_back({parameter.value.data_ptr<float>(), gradient.data_ptr<float>(),
                         first_.data_ptr<float>() + offset, second_.data_ptr<float>() + offset,
                         static_cast<std::size_t>(size), 0});
        offset += size;
    }
    step_.count = table.size();
    step_.chunks = kernels::adamw_chunks(table.data(), table.size());
    step_.options = settings;
    step_.rates = 1;
    table_ = uploaded_bytes(std::span<const kernels::adamw_tensor>(table), device);
    partials_ =
        at::empty({static_cast<std::int64_t>(kernels::adamw_partials)}, options.dtype(at::kDouble));
    state_ = at::zeros({static_cast<std::int64_t>(sizeof(kernels::adamw_state))},
                       options.dtype(at::kByte));
    step_.tensors = static_cast<const kernels::adamw_tensor*>(table_.const_data_ptr());
    step_.partials = partials_.data_ptr<double>();
    step_.state = static_cast<kernels::adamw_state*>(state_.data_ptr());
}

void adamw::queue_step(double learning_rate) {
    learning_rate_ = uploaded(std::span<const double>(&learning_rate, 1), gradient_.device());
    step_.learning_rates = learning_rate_.const_data_ptr<double>();
    adamw_step(step_, gradient_.device());
}

adamw_outcome adamw::finish_step() {
    const at::Tensor host = state_.to(at::kCPU);
    kernels::adamw_state state;
    std::memcpy(&state, host.const_data_ptr(), sizeof state);
    steps_ = static_cast<std::size_t>(state.steps) - earlier_steps_;
    return {state.norm, state.learning_rate, state.finite != 0};
}

void adamw::set_steps_done(std::size_t steps) {
    kernels::adamw_state state{};
    state.steps = static_cast<std::int64_t>(steps + earlier_steps_);
    state_.copy_(uploaded_bytes(std::span<const kernels::adamw_state>(&state, 1), state_.device()));
    steps_ = steps;
}

void adamw::set_earlier_steps(std::size_t steps) {
    earlier_steps_ = steps;
    set_steps_done(steps_);
}

}  // namespace cuset
