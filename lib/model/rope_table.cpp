#include "rope_table.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <numbers>

namespace cuset {

namespace {

at::Tensor frequencies(const model_config& config) {
    const rope_config& rope = config.rope;
    const auto dimension = static_cast<double>(config.head_dim);
    const at::Tensor exponent = at::arange(0, config.head_dim, 2, at::kFloat) / dimension;
    at::Tensor plain = 1.0 / at::pow(at::Scalar(rope.theta), exponent);
    switch (rope.kind) {
        case rope_kind::plain: return plain;
        case rope_kind::linear: return plain / rope.factor;
        case rope_kind::llama3: break;
    }
    const double low_wavelength = rope.original_positions / rope.low_freq_factor;
    const double high_wavelength = rope.original_positions / rope.high_freq_factor;
    const at::Tensor wavelength = 2 * std::numbers::pi / plain;
    const at::Tensor scaled = at::where(wavelength > low_wavelength, plain / rope.factor, plain);
    const at::Tensor smooth = (rope.original_positions / wavelength - rope.low_freq_factor) /
                              (rope.high_freq_factor - rope.low_freq_factor);
    const at::Tensor ramp = (1 - smooth) * scaled / rope.factor + smooth * scaled;
    const at::Tensor between =
        at::logical_and(wavelength >= high_wavelength, wavelength <= low_wavelength);
    return at::where(between, ramp, scaled);
}

void append(const at::Tensor& tensor, std::vector<float>& to) {
    const at::Tensor dense = tensor.contiguous();
    const float* data = dense.const_data_ptr<float>();
    to.insert(to.end(), data, data + dense.numel());
}

}  // namespace

bool rope_table::cover(const model_config& config, std::int64_t count) {
    if (count <= positions) return false;
    count = std::max(count, 2 * positions);
    const at::Tensor frequency = frequencies(config).unsqueeze(0);
    // Operators compute whole vectors and the remaining elements in different ways, and split
    // tensors of more than 2048 elements among threads. Blocks of one size keep a position's values
    // the same in every table.
    const std::int64_t block = std::max<std::int64_t>(1, 2048 / frequency.numel());
    for (; positions < count; positions += block) {
        const at::Tensor angle =
            at::arange(positions, positions + block, at::kFloat).unsqueeze(1) * frequency;
        append(angle.cos(), cosine);
        append(angle.sin(), sine);
    }
    return true;
}

}  // namespace cuset
