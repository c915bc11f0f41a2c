#include "cuset/model/trainable_decoder.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "adapter.h"
#include "autograd_functions.h"
#include "cuset/base/random_key.h"
#include "cuset/kernels/instruction_set.h"
#include "cuset/model/device_kernels.h"
#include "device.h"
#include "element_types.h"
#include "forward.h"
#include "packed_attention.h"
#include "rope_table.h"
#include "weights.h"

namespace cuset {

namespace {

struct trained_update {
    at::Tensor a, b;
};

struct trained_linear {
    at::Tensor weight, bias;
    std::optional<trained_update> update;
};

struct trained_layer {
    at::Tensor input_norm, post_attention_norm, query_norm, key_norm;
    std::array<trained_linear, linear_layers.size()> linears;
};

/// Indices of linear_layers.
enum projection : std::size_t { query_of, key_of, value_of, output_of, gate_of, up_of, down_of };

/// What a packed batch means to every layer.
struct packed_rows {
    packed_samples samples;
    rotation angles;
    dropout_plan dropout;
    bool adapter = true;
};

}  // namespace

class trainable_decoder::implementation {
public:
    model_config config;
    at::Device device = at::kCPU;
    at::ScalarType activations = at::kFloat;
    std::optional<lora_options> lora;
    bool recompute = false;
    bool bfloat16 = false;
    std::string description;
    at::Tensor embedding, head, final_norm;
    std::vector<trained_layer> layers;
    std::vector<trainable_parameter> parameters;
    std::int64_t positions = 0;  ///< in the rotary tables
    at::Tensor cosines, sines;   ///< [positions × head_dim / 2], on the device
    decoder_weights stored;      // the checkpoint, by memory map
    std::filesystem::path folder;

    at::Tensor linear(const trained_layer& layer, std::size_t number, projection which,
                      const at::Tensor& x, const packed_rows& rows) const {
        const trained_linear& l = layer.linears[which];
        if (l.update && rows.adapter) {
            return adapted_linear(x, l.weight, l.bias, l.update->a, l.update->b,
                                  lora->alpha / static_cast<double>(lora->rank), rows.dropout,
                                  number * linear_layers.size() + which);
        }
        const bool fits =
            l.weight.scalar_type() == activations || l.weight.scalar_type() == at::kBFloat16;
        return frozen_linear(x, fits ? l.weight : l.weight.to(activations), l.bias);
    }

    at::Tensor norm(const at::Tensor& x, const at::Tensor& weight) const {
        return rms_norm(x, weight, config.norm_epsilon);
    }

    at::Tensor attention(const trained_layer& layer, std::size_t number, const at::Tensor& x,
                         const packed_rows& rows) const {
        const std::int64_t count = x.size(0);
        at::Tensor query =
            linear(layer, number, query_of, x, rows).view({count, config.heads, config.head_dim});
        at::Tensor key =
            linear(layer, number, key_of, x, rows).view({count, config.kv_heads, config.head_dim});
        const at::Tensor value = linear(layer, number, value_of, x, rows)
                                     .view({count, config.kv_heads, config.head_dim});
        if (layer.query_norm.defined()) {
            query = norm(query, layer.query_norm);
            key = norm(key, layer.key_norm);
        }
        query = rotated(query, rows.angles);
        key = rotated(key, rows.angles);
        return linear(layer, number, output_of, packed_attention(query, key, value, rows.samples),
                      rows);
    }

    /// The tables' rows of a batch. They grow to twice what they were at least: a longer sample
    /// than all before comes a few times in a run.
    rotation angles_of(const packed_samples& samples) {
        if (samples.longest > positions) {
            const rope_table table =
                make_rope_table(config, std::max(samples.longest, 2 * positions));
            positions = table.positions;
            const auto on_device = [&](const std::vector<float>& values) {
                return uploaded(values, device).view({positions, -1}).to(activations);
            };
            cosines = on_device(table.cosine);
            sines = on_device(table.sine);
        }
        const auto rows_of = [&](const at::Tensor& table) {
            std::vector<at::Tensor> parts;
            for (const auto& [begin, end] : samples.rows)
                parts.push_back(table.narrow(0, 0, end - begin));
            return parts.size() == 1 ? parts[0] : at::cat(parts);
        };
        rotation angles{rows_of(cosines), rows_of(sines), {}};
        if (device.is_cpu()) angles.negative_sine = angles.sine.neg();
        return angles;
    }

    at::Tensor layer_output(std::size_t number, const at::Tensor& x,
                            const packed_rows& rows) const {
        const trained_layer& layer = layers[number];
        const at::Tensor y = x + attention(layer, number, norm(x, layer.input_norm), rows);
        const at::Tensor normed = norm(y, layer.post_attention_norm);
        const at::Tensor inner = gated(linear(layer, number, gate_of, normed, rows),
                                       linear(layer, number, up_of, normed, rows));
        return y + linear(layer, number, down_of, inner, rows);
    }
};

namespace {

/// A layer whose forward pass keeps its input alone, and runs again on the way back.
struct recomputed_layer : torch::autograd::Function<recomputed_layer> {
    using rerun = std::function<at::Tensor(const at::Tensor&)>;
    struct captured : torch::CustomClassHolder {
        explicit captured(rerun f) : run(std::move(f)) {}
        rerun run;
    };

    // `trigger` requires a gradient, so that the way back comes by where x does not.
    static at::Tensor forward(torch::autograd::AutogradContext* ctx, const at::Tensor& x,
                              const at::Tensor& trigger, const rerun& run) {
        static_cast<void>(trigger);
        ctx->save_for_backward({x});
        ctx->saved_data["run"] = c10::IValue::make_capsule(c10::make_intrusive<captured>(run));
        return run(x);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                   torch::autograd::variable_list gradients) {
        const auto capsule = ctx->saved_data["run"].toCapsule();
        const at::AutoGradMode differentiable(true);
        const bool wanted = ctx->needs_input_grad(0);
        at::Tensor x = ctx->get_saved_variables()[0].detach().requires_grad_(wanted);
        const at::Tensor y = static_cast<captured*>(capsule.get())->run(x);
        torch::autograd::backward({y}, {gradients[0]});
        return {wanted ? x.grad() : at::Tensor(), at::Tensor(), at::Tensor()};
    }
};

/// Fills a decoder from the checkpoint's weights.
class decoder_builder {
public:
    decoder_builder(trainable_decoder::implementation& model, at::ScalarType matrices,
                    std::uint64_t seed)
        : model_(model), matrices_(matrices), seed_(seed) {}

    void build() {
        const decoder_weights& stored = model_.stored;
        model_.embedding = matrix("model.embed_tokens.weight", stored.embedding);
        std::size_t number = 0;
        for (const auto& from : stored.layers) add_layer(number++, from);
        model_.final_norm = vector("model.norm.weight", stored.final_norm);
        model_.head = model_.config.tied_embeddings ? model_.embedding
                                                    : matrix("lm_head.weight", stored.head);
    }

private:
    at::Tensor trained(const std::string& name, at::Tensor value) {
        value.requires_grad_();
        const stored_tensor* found = model_.stored.files.find(name);
        model_.parameters.push_back({name, value, found ? found->type : element_type::f32});
        return value;
    }

    at::Tensor matrix(const std::string& name, const weight_matrix& m) {
        const at::Tensor host =
            at::from_blob(const_cast<void*>(m.data), {m.rows, m.columns}, scalar_type(m.type));
        // Where the type stays, the pages of the file are the weights.
        const at::Tensor value = host.to(model_.device).to(matrices_);
        if (model_.lora) return value;
        return trained(name, value.is_alias_of(host) ? value.clone() : value);
    }

    at::Tensor vector(const std::string& name, const std::vector<float>& v) {
        if (v.empty()) return {};
        const at::Tensor host = at::from_blob(const_cast<float*>(v.data()),
                                              {static_cast<std::int64_t>(v.size())}, at::kFloat);
        if (model_.lora) return host.to(model_.device).to(model_.activations).clone();
        return trained(name, host.to(model_.device).clone());
    }

    void add_layer(std::size_t number, const layer_weights& from) {
        const std::string prefix = "model.layers." + std::to_string(number) + ".";
        trained_layer layer;
        layer.input_norm = vector(prefix + "input_layernorm.weight", from.input_norm);
        for (std::size_t which = 0; which < linear_layers.size(); ++which) {
            const std::string name = prefix + std::string(linear_layers[which].name);
            const linear_weights& source = from.*linear_layers[which].weights;
            trained_linear& linear = layer.linears[which];
            linear.weight = matrix(name + ".weight", source.weight);
            linear.bias = vector(name + ".bias", source.bias);
            if (model_.lora)
                add_update(name, number * linear_layers.size() + which, source, linear);
        }
        layer.query_norm = vector(prefix + "self_attn.q_norm.weight", from.query_norm);
        layer.key_norm = vector(prefix + "self_attn.k_norm.weight", from.key_norm);
        layer.post_attention_norm =
            vector(prefix + "post_attention_layernorm.weight", from.post_attention_norm);
        model_.layers.push_back(std::move(layer));
    }

    void add_update(const std::string& name, std::size_t site, const linear_weights& source,
                    trained_linear& linear) {
        const std::int64_t rank = model_.lora->rank;
        const std::int64_t in = source.weight.columns, out = source.weight.rows;
        at::Tensor a = at::empty({rank, in}, at::kFloat), b = at::zeros({out, rank}, at::kFloat);
        if (source.update) {
            std::copy(source.update->a.begin(), source.update->a.end(), a.data_ptr<float>());
            std::copy(source.update->b.begin(), source.update->b.end(), b.data_ptr<float>());
        } else {
            const double bound = 1 / std::sqrt(static_cast<double>(in));
            const std::uint64_t key = mixed_key(seed_, site);
            float* to = a.data_ptr<float>();
            for (std::int64_t i = 0; i < rank * in; ++i) {
                const auto bits = mixed_key(key, static_cast<std::uint64_t>(i)) >> 11;
                to[i] = static_cast<float>((static_cast<double>(bits) * 0x1p-52 - 1) * bound);
            }
        }
        const std::string root = "base_model.model." + name;
        linear.update = trained_update{trained(root + ".lora_A.weight", a.to(model_.device)),
                                       trained(root + ".lora_B.weight", b.to(model_.device))};
    }

    trainable_decoder::implementation& model_;
    at::ScalarType matrices_;
    std::uint64_t seed_;
};

/// The name of a linear layer that the adapter leaves alone; empty: there is none.
std::string layer_without_update(const decoder_weights& weights) {
    for (const auto& layer : weights.layers)
        for (const auto& linear : linear_layers)
            if (!(layer.*linear.weights).update) return std::string(linear.name);
    return {};
}

}  // namespace

result<trainable_decoder> trainable_decoder::load(const std::filesystem::path& folder,
                                                  const training_model_options& options) try {
    if (options.lora &&
        (options.lora->rank < 1 || !(options.lora->dropout >= 0 && options.lora->dropout < 1) ||
         !std::isfinite(options.lora->alpha))) {
        return usage_error(
            "LoRA needs a rank of at least 1, a finite alpha and a dropout in [0, 1)");
    }
    CUSET_TRY(choose_kernels());
    CUSET_ASSIGN(const int index, resolve_device(options.device));
    CUSET_ASSIGN(auto opened, open_checkpoint(folder, options.dtype));
    const bool bfloat16 = opened.bfloat16;
    auto model = std::make_unique<implementation>();
    model->stored = std::move(opened.weights);
    model->config = model->stored.config;
    model->folder = folder;
    model->lora = options.lora;
    model->recompute = options.recompute;
    model->bfloat16 = bfloat16;
    if (options.init_adapter) {
        if (!options.lora) return usage_error("a full fine-tuning starts from no adapter");
        CUSET_ASSIGN(const adapter_shape shape, load_adapter(*options.init_adapter, model->stored));
        model->lora->rank = shape.rank;
        model->lora->alpha = shape.alpha;
        if (const std::string missing = layer_without_update(model->stored); !missing.empty())
            return unsupported(options.init_adapter->string() + " updates no " + missing +
                               ": training goes on with adapters of every linear layer alone");
    }
    const int threads = set_threads(options.threads);
    const std::string where = std::to_string(threads) + (threads == 1 ? " thread" : " threads");
    at::ScalarType matrices = at::kFloat;
    std::string products = "float";
    if (index >= 0) {
        model->device = at::Device(at::kCUDA, static_cast<at::DeviceIndex>(index));
        if (bfloat16) model->activations = at::kBFloat16;
        if (bfloat16 && options.lora) matrices = at::kBFloat16;
        model->description = "cuda:" + std::to_string(index) + (bfloat16 ? " bf16" : " f32");
    } else {
        if (bfloat16 && options.lora && kernels::has_native_bfloat16()) {
            matrices = at::kBFloat16;
            products = "bf16";
        }
        model->description = std::string(bfloat16 ? "cpu bf16 (" : "cpu f32 (") + products +
                             " products, " + where + ")";
    }
    decoder_builder(*model, matrices, options.seed).build();
    return trainable_decoder(std::move(model));
} catch (const std::exception& exception) {
    return thrown(exception);
}

trainable_decoder::trainable_decoder(std::unique_ptr<implementation> model)
    : implementation_(std::move(model)) {}
trainable_decoder::trainable_decoder(trainable_decoder&&) noexcept = default;
trainable_decoder& trainable_decoder::operator=(trainable_decoder&&) noexcept = default;
trainable_decoder::~trainable_decoder() = default;

const std::filesystem::path& trainable_decoder::folder() const { return implementation_->folder; }
const model_config& trainable_decoder::config() const { return implementation_->config; }
const std::string& trainable_decoder::compute_description() const {
    return implementation_->description;
}
std::uint64_t trainable_decoder::fingerprint() const {
    std::vector<const stored_tensor*> tensors;
    for (const auto& tensor : implementation_->stored.files.tensors()) tensors.push_back(&tensor);
    // Not in the files' order: a model means the same however it is cut into shards.
    std::sort(tensors.begin(), tensors.end(),
              [](const auto* a, const auto* b) { return a->name < b->name; });
    std::uint64_t hash = 0;
    const auto mix = [&](std::uint64_t value) { hash = mixed_key(hash, value); };
    for (const stored_tensor* tensor : tensors) {
        for (const char c : tensor->name) mix(static_cast<unsigned char>(c));
        for (const std::int64_t extent : tensor->shape) mix(static_cast<std::uint64_t>(extent));
        mix(static_cast<std::uint64_t>(tensor->type));
        constexpr std::size_t looks = 64;
        for (std::size_t i = 0; i < looks && !tensor->bytes.empty(); ++i)
            mix(static_cast<std::uint64_t>(tensor->bytes[i * tensor->bytes.size() / looks]));
    }
    return hash;
}
const std::optional<lora_options>& trainable_decoder::lora() const { return implementation_->lora; }
at::Device trainable_decoder::device() const { return implementation_->device; }
bool trainable_decoder::recomputes() const { return implementation_->recompute; }
bool trainable_decoder::weights_are_bfloat16() const { return implementation_->bfloat16; }
bool trainable_decoder::activations_are_half() const {
    return implementation_->activations == at::kBFloat16;
}
double trainable_decoder::weight_bytes() const {
    const auto of = [](const at::Tensor& t) {
        return t.defined() ? static_cast<double>(t.nbytes()) : 0.0;
    };
    const implementation& model = *implementation_;
    double bytes = of(model.embedding) + of(model.final_norm);
    if (!model.config.tied_embeddings) bytes += of(model.head);
    for (const auto& layer : model.layers)
        for (const auto& linear : layer.linears) bytes += of(linear.weight) + of(linear.bias);
    return bytes;
}
std::string trainable_decoder::name() const { return last_component(implementation_->folder); }
const std::vector<trainable_parameter>& trainable_decoder::parameters() const {
    return implementation_->parameters;
}
const at::Tensor& trainable_decoder::head() const { return implementation_->head; }

at::Tensor trainable_decoder::hidden_rows(std::span<const training_sample> batch,
                                          pass_kind kind) const {
    implementation& model = *implementation_;
    const bool training = kind == pass_kind::training;
    const at::AutoGradMode differentiable(training);

    auto rows = std::make_shared<packed_rows>();
    rows->adapter = kind != pass_kind::reference;
    std::vector<std::int64_t> inputs, wanted;
    std::vector<std::pair<std::int64_t, std::int64_t>> samples;
    std::vector<kernels::dropout_sample> keys;
    for (const auto& sample : batch) {
        // Nothing depends on the row of a sample's last token.
        const auto begin = static_cast<std::int64_t>(inputs.size());
        inputs.insert(inputs.end(), sample.tokens.begin(), sample.tokens.end() - 1);
        const auto end = static_cast<std::int64_t>(inputs.size());
        samples.emplace_back(begin, end);
        keys.push_back({begin, sample.dropout_key});
        for (std::int64_t row = begin + static_cast<std::int64_t>(sample.prompt_length) - 1;
             row < end; ++row)
            wanted.push_back(row);
    }
    rows->samples = packed_on(model.device, std::move(samples));
    rows->angles = model.angles_of(rows->samples);
    if (training && model.lora)
        rows->dropout = dropout_plan(model.lora->dropout, keys, model.device);

    at::Tensor x =
        at::embedding(model.embedding, uploaded(inputs, model.device)).to(model.activations);
    const at::Tensor trigger = at::zeros({1}).requires_grad_(training);
    for (std::size_t number = 0; number < model.layers.size(); ++number) {
        if (training && model.recompute) {
            x = recomputed_layer::apply(
                x, trigger,
                recomputed_layer::rerun([&model, number, rows](const at::Tensor& input) {
                    return model.layer_output(number, input, *rows);
                }));
        } else {
            x = model.layer_output(number, x, *rows);
        }
    }
    return model.norm(x.index_select(0, uploaded(wanted, model.device)),
                      model.final_norm.to(model.activations));
}

}  // namespace cuset
