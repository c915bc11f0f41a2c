#include "torch_decoder.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "cuset/kernels/packed_products.h"
#include "cuset/model/device_kernels.h"
#include "element_types.h"
#include "packed_attention.h"

namespace cuset {

namespace {

/// Indices of linear_layers.
enum projection : std::size_t { query_of, key_of, value_of, output_of, gate_of, up_of, down_of };

at::Tensor placed(const weight_matrix& m, const tensor_placement& to) {
    if (m.quantised != nullptr) return dequantised(*m.quantised, to.matrices).to(to.device);
    const at::Tensor host =
        at::from_blob(const_cast<void*>(m.data), {m.rows, m.columns}, scalar_type(m.type));
    // If the type stays the same, the file's pages are the weights.
    const at::Tensor value = host.to(to.device).to(to.matrices);
    return to.own_matrices && value.is_alias_of(host) ? value.clone() : value;
}

at::Tensor placed(const std::vector<float>& v, at::IntArrayRef shape, at::ScalarType type,
                  at::Device device) {
    if (v.empty()) return {};
    return at::from_blob(const_cast<float*>(v.data()), shape, at::kFloat)
        .to(device, at::kFloat, false, true)
        .to(type);
}

/// Without the weight.
linear_tensors placed_rest(const linear_weights& from, const tensor_placement& to) {
    const std::int64_t in = from.weight.columns, out = from.weight.rows;
    linear_tensors linear;
    linear.bias = placed(from.bias, {out}, to.vectors, to.device);
    if (!from.update) return linear;
    const low_rank_update& update = *from.update;
    linear.a = placed(update.a, {update.rank, in}, to.updates, to.device);
    linear.b = placed(update.b, {out, update.rank}, to.updates, to.device);
    linear.scale = static_cast<double>(update.scale);
    return linear;
}

linear_tensors placed(const linear_weights& from, const tensor_placement& to) {
    linear_tensors linear = placed_rest(from, to);
    const auto& quantised = from.weight.quantised;
    if (quantised != nullptr && to.codes == code_use::shared)
        linear.codes = shared_codes(quantised);
    else if (quantised != nullptr && to.codes == code_use::copied)
        linear.codes = copied_codes(*quantised, to.device);
    else
        linear.weight = placed(from.weight, to);
    return linear;
}

/// A layer whose forward pass keeps only its input, and runs again in the backward pass.
struct recomputed_layer : torch::autograd::Function<recomputed_layer> {
    using rerun = std::function<at::Tensor(const at::Tensor&, pass_direction)>;
    struct captured : torch::CustomClassHolder {
        explicit captured(rerun f) : run(std::move(f)) {}
        rerun run;
    };

    // `trigger` requires a gradient, so that the backward pass reaches the layer even if x does
    // not.
    static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& x,
                              const at::Tensor& trigger, const rerun& run) {
        static_cast<void>(trigger);
        ctx->save_for_backward({x});
        ctx->saved_data["run"] = c10::IValue::make_capsule(c10::make_intrusive<captured>(run));
        return run(x, pass_direction::forward);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                   torch::autograd::variable_list gradients) {
        const auto capsule = ctx->saved_data["run"].toCapsule();
        const at::AutoGradMode differentiable(true);
        const bool wanted = ctx->needs_input_grad(0);
        at::Tensor x = ctx->get_saved_variables()[0].detach().requires_grad_(wanted);
        const at::Tensor y =
            static_cast<captured*>(capsule.get())->run(x, pass_direction::backward);
        // A layer below the adapter's first one has no gradient.
        if (y.requires_grad()) torch::autograd::backward({y}, {gradients[0]});
        return {wanted ? x.grad() : at::Tensor(), at::Tensor(), at::Tensor()};
    }
};

/// Has the weights of `layer` there again when the backward pass comes to its output x. What the
/// layer kept of them are views of the room.
void fetch_again(const std::shared_ptr<sharded_layers>& shared, std::size_t layer, at::Tensor& x) {
    // All layers, since that is what other processes expect: an adapter may begin further up.
    if (!x.requires_grad()) x.requires_grad_();
    x.register_hook(
        [shared, layer](const at::Tensor&) { shared->fetch(layer, pass_direction::backward); });
}

}  // namespace

frozen_weight linear_tensors::frozen(const tensor_placement& placement) const {
    return {weight, codes, placement.matrices};
}

torch_decoder::torch_decoder(const decoder_weights& weights, const tensor_placement& to,
                             std::shared_ptr<sharded_layers> shared_base)
    : config(weights.config), placement(to), shared(std::move(shared_base)) {
    const auto vector = [&](const std::vector<float>& v) {
        return placed(v, {std::ssize(v)}, to.vectors, to.device);
    };
    embedding = placed(weights.embedding, to);
    head = config.tied_embeddings ? embedding : placed(weights.head, to);
    final_norm = vector(weights.final_norm);
    for (const auto& from : weights.layers) {
        layer_tensors& layer = layers.emplace_back();
        layer.input_norm = vector(from.input_norm);
        layer.post_attention_norm = vector(from.post_attention_norm);
        layer.query_norm = vector(from.query_norm);
        layer.key_norm = vector(from.key_norm);
        for (std::size_t i = 0; i < linear_layers.size(); ++i) {
            const linear_weights& linear = from.*linear_layers[i].weights;
            layer.linears[i] = shared == nullptr ? placed(linear, to) : placed_rest(linear, to);
            if (shared != nullptr) layer.linears[i].weight = shared->matrix(layers.size() - 1, i);
        }
    }
}

rotation torch_decoder::angles_of(std::span<const piece> pieces) {
    std::int64_t longest = 0;
    for (const piece& p : pieces) longest = std::max(longest, p.position + p.count);
    if (table_.cover(config, longest)) {
        const auto on_device = [&](const std::vector<float>& values) {
            return uploaded(values, placement.device)
                .view({table_.positions, -1})
                .to(placement.activations);
        };
        cosines_ = on_device(table_.cosine);
        sines_ = on_device(table_.sine);
    }
    const auto rows_of = [&](const at::Tensor& table) {
        std::vector<at::Tensor> parts;
        for (const piece& p : pieces) parts.push_back(table.narrow(0, p.position, p.count));
        return parts.size() == 1 ? parts[0] : at::cat(parts);
    };
    rotation angles{rows_of(cosines_), rows_of(sines_), {}};
    if (placement.device.is_cpu()) angles.negative_sine = angles.sine.neg();
    return angles;
}

std::shared_ptr<pass_rows> torch_decoder::packed_rows(
    std::vector<std::pair<std::int64_t, std::int64_t>> samples) {
    std::vector<piece> pieces;
    for (const auto& [begin, end] : samples) pieces.push_back({0, end - begin});
    auto rows = std::make_shared<pass_rows>();
    rows->angles = angles_of(pieces);
    rows->attend = [packed = packed_on(placement.device, std::move(samples)),
                    bfloat16 = placement.matrices == at::kBFloat16](
                       std::size_t, const at::Tensor& query, const at::Tensor& key,
                       const at::Tensor& value) {
        return packed_attention(query, key, value, packed, bfloat16);
    };
    return rows;
}

at::Tensor torch_decoder::linear(std::size_t layer, std::size_t which, const at::Tensor& x,
                                 const pass_rows& rows) const {
    const linear_tensors& l = layers[layer].linears[which];
    if (l.a.defined() && rows.adapter) {
        return adapted_linear(x, l.frozen(placement), l.bias, l.a, l.b, l.scale, rows.dropout,
                              layer * linear_layers.size() + which);
    }
    frozen_weight weight = l.frozen(placement);
    const bool fits =
        placement.matrices == placement.activations || placement.matrices == at::kBFloat16;
    if (!fits) {
        weight.type = placement.activations;
        if (weight.codes == nullptr) weight.tensor = weight.tensor.to(placement.activations);
    }
    return frozen_linear(x, weight, l.bias);
}

at::Tensor torch_decoder::norm(const at::Tensor& x, const at::Tensor& weight) const {
    return rms_norm(x, weight, config.norm_epsilon);
}

at::Tensor torch_decoder::attention(std::size_t layer, const at::Tensor& x,
                                    const pass_rows& rows) const {
    const auto heads = [&](projection which, std::int64_t count) {
        return linear(layer, which, x, rows).view({x.size(0), count, config.head_dim});
    };
    at::Tensor query = heads(query_of, config.heads);
    at::Tensor key = heads(key_of, config.kv_heads);
    const at::Tensor value = heads(value_of, config.kv_heads);
    if (layers[layer].query_norm.defined()) {
        query = norm(query, layers[layer].query_norm);
        key = norm(key, layers[layer].key_norm);
    }
    query = rotated(query, rows.angles);
    key = rotated(key, rows.angles);
    return linear(layer, output_of, rows.attend(layer, query, key, value), rows);
}

at::Tensor torch_decoder::layer_output(std::size_t layer, const at::Tensor& x,
                                       const pass_rows& rows, pass_direction direction) const {
    if (shared != nullptr) shared->fetch(layer, direction);
    const at::Tensor y = x + attention(layer, norm(x, layers[layer].input_norm), rows);
    const at::Tensor normed = norm(y, layers[layer].post_attention_norm);
    const at::Tensor inner =
        gated(linear(layer, gate_of, normed, rows), linear(layer, up_of, normed, rows));
    return y + linear(layer, down_of, inner, rows);
}

at::Tensor torch_decoder::hidden_rows(std::span<const std::int32_t> tokens,
                                      std::span<const std::int64_t> wanted,
                                      const std::shared_ptr<const pass_rows>& rows) const {
    const bool again = recompute && at::GradMode::is_enabled();
    const at::Tensor trigger = again ? at::zeros({1}).requires_grad_() : at::Tensor();
    const at::Device device = placement.device;
    at::Tensor x =
        at::embedding(embedding, uploaded(tokens, device).to(at::kLong)).to(placement.activations);
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        if (again) {
            x = recomputed_layer::apply(
                x, trigger,
                recomputed_layer::rerun(
                    [this, layer, rows](const at::Tensor& input, pass_direction direction) {
                        return layer_output(layer, input, *rows, direction);
                    }));
        } else {
            x = layer_output(layer, x, *rows, pass_direction::forward);
            if (shared != nullptr && at::GradMode::is_enabled()) fetch_again(shared, layer, x);
        }
    }
    return norm(x.index_select(0, uploaded(wanted, device)), final_norm.to(placement.activations));
}

tensor_placement inference_placement(bool bfloat16, int device_index) {
    const at::ScalarType type = bfloat16 ? at::kBFloat16 : at::kFloat;
    const at::Device device =
        device_index < 0 ? at::Device(at::kCPU)
                         : at::Device(at::kCUDA, static_cast<at::DeviceIndex>(device_index));
    const code_use codes = device_index < 0 ? code_use::once : code_use::copied;
    return {device, type, type, type, type, false, codes};
}

tensor_placement shared_placement(bool bfloat16, int device_index) {
    tensor_placement placement = inference_placement(bfloat16 && device_index >= 0, device_index);
    if (bfloat16 && kernels::has_bfloat16_products()) placement.matrices = at::kBFloat16;
    return placement;
}

std::shared_ptr<sharded_layers> shared_layers(decoder_weights& weights, bool bfloat16,
                                              int device_index, base_part part) {
    if (part.of == 1) return nullptr;
    const tensor_placement placement = shared_placement(bfloat16, device_index);
    // Not in inference mode: another thread writes to the rooms.
    return std::make_shared<sharded_layers>(weights, part, placement.matrices, placement.device);
}

}  // namespace cuset
