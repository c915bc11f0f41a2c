#include "operator_weights.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/ops/silu.h>

#include <algorithm>

#include "cuset/model/device_kernels.h"
#include "element_types.h"

namespace cuset {

at::Tensor linear_tensors::operator()(const at::Tensor& x) const {
    at::Tensor y = bias.defined() ? at::linear(x, weight, bias) : at::linear(x, weight);
    if (!update) return y;
    if (update->a.scalar_type() == at::kBFloat16) {
        const at::Tensor reduced = at::mm(x, update->a.t(), at::kFloat).to(at::kBFloat16);
        return y.addmm_(reduced, update->b.t(), 1, update->scale);
    }
    // As peft: the update in float, the sum rounded once.
    const at::Tensor reduced = at::linear(x.to(at::kFloat), update->a);
    return (y + at::linear(reduced, update->b) * update->scale).to(y.scalar_type());
}

operator_weights::operator_weights(const decoder_weights& weights, bool bfloat16, int device_index)
    : config(weights.config),
      device(device_index < 0 ? at::Device(at::kCPU)
                              : at::Device(at::kCUDA, static_cast<at::DeviceIndex>(device_index))),
      type(bfloat16 ? at::kBFloat16 : at::kFloat) {
    const c10::InferenceMode inference;
    embedding = matrix(weights.embedding);
    head = weights.config.tied_embeddings ? embedding : matrix(weights.head);
    final_norm = vector(weights.final_norm);
    for (const auto& layer : weights.layers) {
        layers.push_back({vector(layer.input_norm), vector(layer.post_attention_norm),
                          vector(layer.query_norm), vector(layer.key_norm), linear(layer.query),
                          linear(layer.key), linear(layer.value), linear(layer.output),
                          linear(layer.gate), linear(layer.up), linear(layer.down)});
    }
}

/// A copy on the device in the pass's type; host pages are read one tensor at a time.
at::Tensor operator_weights::place(const void* data, at::IntArrayRef shape,
                                   at::ScalarType from) const {
    const at::Tensor host = at::from_blob(const_cast<void*>(data), shape, from);
    return host.to(device).to(type);
}

at::Tensor operator_weights::matrix(const weight_matrix& m) const {
    return place(m.data, {m.rows, m.columns}, scalar_type(m.type));
}

at::Tensor operator_weights::vector(const std::vector<float>& v) const {
    if (v.empty()) return {};
    return place(v.data(), {static_cast<std::int64_t>(v.size())}, at::kFloat).clone();
}

at::Tensor operator_weights::floats(const std::vector<float>& v, at::IntArrayRef shape) const {
    return at::from_blob(const_cast<float*>(v.data()), shape, at::kFloat)
        .to(device, at::kFloat, false, true);
}

at::Tensor operator_weights::integers(const std::vector<std::int32_t>& v) const {
    return uploaded(v, device).to(at::kLong);
}

linear_tensors operator_weights::linear(const linear_weights& w) const {
    linear_tensors tensors{matrix(w.weight), vector(w.bias), {}};
    if (w.update) {
        const at::ScalarType to = device.is_cuda() ? type : at::kFloat;
        tensors.update = {floats(w.update->a, {w.update->rank, w.weight.columns}).to(to),
                          floats(w.update->b, {w.weight.rows, w.update->rank}).to(to),
                          static_cast<double>(w.update->scale)};
    }
    return tensors;
}

at::Tensor operator_weights::norm(const at::Tensor& x, const at::Tensor& weight) const {
    return at::rms_norm(x, {x.size(-1)}, weight, config.norm_epsilon);
}

void operator_weights::set_positions(const std::vector<position_range>& ranges) {
    std::int64_t longest = 0;
    for (const auto& range : ranges) longest = std::max(longest, range.first + range.count);
    if (longest > table_.positions) {
        table_ = make_rope_table(config, std::max(longest, 2 * table_.positions));
        cosines_ = uploaded(table_.cosine, device).view({table_.positions, -1});
        sines_ = uploaded(table_.sine, device).view({table_.positions, -1});
    }
    std::vector<at::Tensor> cosines, sines;
    for (const auto& range : ranges) {
        cosines.push_back(cosines_.narrow(0, range.first, range.count));
        sines.push_back(sines_.narrow(0, range.first, range.count));
    }
    const at::Tensor all_cosines = at::cat(cosines), all_sines = at::cat(sines);
    cosine_ = at::cat({all_cosines, all_cosines}, 1).unsqueeze(1).to(type);
    sine_ = at::cat({all_sines, all_sines}, 1).unsqueeze(1).to(type);
}

at::Tensor operator_weights::rotated(const at::Tensor& x) const {
    const std::int64_t half = config.head_dim / 2;
    const at::Tensor turned = at::cat({x.narrow(-1, half, half).neg(), x.narrow(-1, 0, half)}, -1);
    return x * cosine_ + turned * sine_;
}

operator_weights::attention_inputs operator_weights::attention_of(const layer_tensors& layer,
                                                                  const at::Tensor& x) const {
    const std::int64_t rows = x.size(0);
    at::Tensor query = layer.query(x).view({rows, config.heads, config.head_dim});
    at::Tensor key = layer.key(x).view({rows, config.kv_heads, config.head_dim});
    const at::Tensor value = layer.value(x).view({rows, config.kv_heads, config.head_dim});
    if (layer.query_norm.defined()) {
        query = norm(query, layer.query_norm);
        key = norm(key, layer.key_norm);
    }
    return {rotated(query), rotated(key), value};
}

at::Tensor operator_weights::feed_forward(const layer_tensors& layer, const at::Tensor& x) const {
    const at::Tensor normed = norm(x, layer.post_attention_norm);
    at::Tensor inner = layer.gate(normed);
    at::silu_(inner).mul_(layer.up(normed));
    return x + layer.down(inner);
}

at::Tensor operator_weights::logits(const at::Tensor& rows) const {
    const at::Tensor transposed = head.t();
    if (type == at::kFloat) return at::mm(rows, transposed);
    if (device.is_cuda()) return at::mm(rows, transposed, at::kFloat);
    return at::mm(rows.to(at::kFloat), transposed.to(at::kFloat));
}

}  // namespace cuset
