#include "cuset/model/trainable_decoder.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cuset/base/random_key.h"
#include "cuset/kernels/packed_products.h"
#include "cuset/model/product_choice.h"
#include "device.h"
#include "json_text.h"
#include "torch_decoder.h"
#include "weights.h"

namespace cuset {

class trainable_decoder::implementation {
public:
    std::optional<torch_decoder> decoder;
    std::optional<lora_options> lora;
    bool bfloat16 = false;
    quantisation quantised = quantisation::none;
    std::string description;
    std::vector<trainable_parameter> parameters;
    decoder_weights stored;  // the checkpoint, by memory map
    std::filesystem::path folder;
};

namespace {

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

/// Lists the trained parameters, and gives each linear layer that is a target an update: that of
/// the adapter to start from, or a new one.
class parameter_list {
public:
    parameter_list(trainable_decoder::implementation& model, std::uint64_t seed, bool from_adapter)
        : model_(model), seed_(seed), from_adapter_(from_adapter) {}

    void make() {
        torch_decoder& decoder = *model_.decoder;
        add_base("model.embed_tokens.weight", decoder.embedding);
        for (std::size_t number = 0; number < decoder.layers.size(); ++number)
            add_layer(number, decoder.layers[number]);
        add_base("model.norm.weight", decoder.final_norm);
        if (!decoder.config.tied_embeddings) add_base("lm_head.weight", decoder.head);
    }

private:
    void add(const std::string& name, at::Tensor& value) {
        value.requires_grad_();
        const stored_tensor* found = model_.stored.files.find(name);
        model_.parameters.push_back({name, value, found ? found->type : element_type::f32});
    }

    void add_base(const std::string& name, at::Tensor& value) {
        if (!model_.lora && value.defined()) add(name, value);
    }

    void add_layer(std::size_t number, layer_tensors& layer) {
        const std::string prefix = "model.layers." + std::to_string(number) + ".";
        add_base(prefix + "input_layernorm.weight", layer.input_norm);
        for (std::size_t which = 0; which < linear_layers.size(); ++which) {
            const std::string name = prefix + std::string(linear_layers[which].name);
            linear_tensors& linear = layer.linears[which];
            add_base(name + ".weight", linear.weight);
            add_base(name + ".bias", linear.bias);
            if (model_.lora && is_target(linear_layers[which].name, linear))
                add_update(name, number * linear_layers.size() + which, linear);
        }
        add_base(prefix + "self_attn.q_norm.weight", layer.query_norm);
        add_base(prefix + "self_attn.k_norm.weight", layer.key_norm);
        add_base(prefix + "post_attention_layernorm.weight", layer.post_attention_norm);
    }

    bool is_target(std::string_view name, const linear_tensors& linear) const {
        if (from_adapter_) return linear.a.defined();
        const auto& targets = model_.lora->targets;
        return targets.empty() || std::ranges::find(targets, last_part(name)) != targets.end();
    }

    void add_update(const std::string& name, std::size_t site, linear_tensors& linear) {
        const lora_options& lora = *model_.lora;
        if (!linear.a.defined()) {
            linear.scale = adapter_shape{lora.rank, lora.alpha, lora.rank_stabilised}.scale();
            const std::int64_t in = linear.inputs(), out = linear.outputs();
            const at::Device device = model_.decoder->placement.device;
            const double bound = 1 / std::sqrt(static_cast<double>(in));
            const std::uint64_t key = mixed_key(seed_, site);
            const at::Tensor a = at::empty({lora.rank, in}, at::kFloat);
            float* to = a.data_ptr<float>();
            for (std::int64_t i = 0; i < a.numel(); ++i) {
                const auto bits = mixed_key(key, static_cast<std::uint64_t>(i)) >> 11;
                to[i] = static_cast<float>((static_cast<double>(bits) * 0x1p-52 - 1) * bound);
            }
            linear.a = a.to(device);
            linear.b = at::zeros({out, lora.rank}, at::TensorOptions().device(device));
        }
        const std::string root = "base_model.model." + name;
        add(root + ".lora_A.weight", linear.a);
        add(root + ".lora_B.weight", linear.b);
    }

    trainable_decoder::implementation& model_;
    std::uint64_t seed_;
    bool from_adapter_;
};

/// lora_options::targets of the updates that a loaded adapter has.
std::vector<std::string> targets_of(const decoder_weights& weights) {
    std::vector<std::string> whole, names;
    for (std::size_t layer = 0; layer < weights.layers.size(); ++layer)
        for (const auto& linear : linear_layers)
            if ((weights.layers[layer].*linear.weights).update)
                whole.push_back("model.layers." + std::to_string(layer) + '.' +
                                std::string(linear.name));
    for (const auto& linear : linear_layers) {
        const auto count = static_cast<std::size_t>(std::ranges::count_if(
            whole, [&](const auto& name) { return name.ends_with(linear.name); }));
        if (count == weights.layers.size()) names.emplace_back(last_part(linear.name));
    }
    if (names.size() * weights.layers.size() != whole.size()) return whole;
    if (names.size() == linear_layers.size()) names.clear();
    return names;
}

/// Sorted into the order of a decoder layer, each once; none if they are all there are.
result<std::vector<std::string>> checked_targets(const std::vector<std::string>& targets) {
    const std::vector<std::string> known = linear_layer_names();
    for (const auto& target : targets) {
        if (std::ranges::find(known, target) != known.end()) continue;
        std::string names;
        for (const auto& name : known) names += (names.empty() ? "" : ", ") + name;
        return usage_error("no linear layer is named " + in_quotes(target) + "; there are " +
                           names);
    }
    std::vector<std::string> sorted;
    for (const auto& name : known)
        if (std::ranges::find(targets, name) != targets.end()) sorted.push_back(name);
    if (sorted.size() == known.size()) sorted.clear();
    return sorted;
}

}  // namespace

std::vector<std::string> linear_layer_names() {
    std::vector<std::string> names;
    for (const auto& linear : linear_layers) names.emplace_back(last_part(linear.name));
    return names;
}

result<trainable_decoder> trainable_decoder::load(const std::filesystem::path& folder,
                                                  const training_model_options& options) try {
    if (options.lora &&
        (options.lora->rank < 1 || !(options.lora->dropout >= 0 && options.lora->dropout < 1) ||
         !std::isfinite(options.lora->alpha))) {
        return usage_error(
            "LoRA needs a rank of at least 1, a finite alpha and a dropout in [0, 1)");
    }
    CUSET_TRY(choose_kernels());
    CUSET_TRY(choose_products(options.products));
    CUSET_ASSIGN(const int index, resolve_device(options.device));
    if (options.init_adapter && !options.lora)
        return usage_error("a full fine-tuning starts from no adapter");
    CUSET_ASSIGN(const quantisation kept, resolve_quantisation(folder, options.quantise));
    const bool quantises = kept != quantisation::none;
    if (quantises && !options.lora)
        return usage_error("a quantised base is frozen: a full fine-tuning trains its weights");
    const bool shares = options.part.of > 1;
    if (shares && !options.lora)
        return usage_error("a base that processes share is frozen: a full fine-tuning trains it");
    if (shares && quantises)
        return usage_error("a quantised base cannot be shared: its codes are kept whole");
    const int threads = set_threads(options.threads);
    CUSET_ASSIGN(auto opened,
                 open_checkpoint(folder, options.dtype, options.init_adapter.value_or(""), kept,
                                 threads, code_order_on(index)));
    const bool bfloat16 = opened.bfloat16;
    auto model = std::make_unique<implementation>();
    model->stored = std::move(opened.weights);
    model->folder = folder;
    model->lora = options.lora;
    model->bfloat16 = bfloat16;
    if (options.init_adapter) {
        const adapter_shape& shape = opened.adapter;
        if (!model->stored.replaced.empty() && !options.only_evaluates)
            return unsupported(options.init_adapter->string() +
                               " holds whole modules (modules_to_save), which training would not "
                               "keep: merge it first (cuset-merge)");
        if (!shape.is_uniform && !options.only_evaluates)
            return unsupported(options.init_adapter->string() +
                               " has several ranks or alphas: training goes on with one of each");
        model->lora->rank = shape.rank;
        model->lora->alpha = shape.alpha;
        model->lora->rank_stabilised = shape.rank_stabilised;
        model->lora->targets = targets_of(model->stored);
    } else if (model->lora) {
        CUSET_ASSIGN(model->lora->targets, checked_targets(model->lora->targets));
    }
    const std::string where = std::to_string(threads) + (threads == 1 ? " thread" : " threads");
    tensor_placement placement = inference_placement(false, index);
    placement.own_matrices = !options.lora;
    if (index < 0) placement.codes = code_use::shared;
    model->quantised = kept;
    std::string products = "float";
    const std::string codes = quantises ? std::string(name_of(kept)) + " in " : "";
    if (index >= 0) {
        if (bfloat16) placement.activations = at::kBFloat16;
        if (bfloat16 && options.lora) placement.matrices = placement.vectors = at::kBFloat16;
        model->description =
            "cuda:" + std::to_string(index) + " " + codes + (bfloat16 ? "bf16" : "f32");
    } else {
        keep_freed_memory();
        if (bfloat16 && options.lora && kernels::has_bfloat16_products()) {
            placement.matrices = at::kBFloat16;
            products = "bf16";
        }
        model->description = "cpu " + codes + (bfloat16 ? "bf16 (" : "f32 (") + products +
                             " products, " + where + ")";
    }
    std::shared_ptr<sharded_layers> shared;
    if (shares)
        shared = std::make_shared<sharded_layers>(model->stored, options.part, placement.matrices,
                                                  placement.device);
    model->decoder.emplace(model->stored, placement, std::move(shared));
    if (placement.codes == code_use::copied) model->stored.release_codes();
    model->decoder->recompute = options.recompute;
    parameter_list(*model, options.seed, options.init_adapter.has_value()).make();
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
const model_config& trainable_decoder::config() const { return implementation_->decoder->config; }
const std::string& trainable_decoder::compute_description() const {
    return implementation_->description;
}
const std::vector<std::string>& trainable_decoder::notes() const {
    return implementation_->stored.notes;
}
std::uint64_t trainable_decoder::fingerprint() const {
    // Most pages of a shared base are of weights that other processes keep.
    return implementation_->stored.files.fingerprint(shares_base());
}
const std::optional<lora_options>& trainable_decoder::lora() const { return implementation_->lora; }
at::Device trainable_decoder::device() const { return implementation_->decoder->placement.device; }
bool trainable_decoder::recomputes() const { return implementation_->decoder->recompute; }
quantisation trainable_decoder::quantised() const { return implementation_->quantised; }
bool trainable_decoder::weights_are_bfloat16() const { return implementation_->bfloat16; }
bool trainable_decoder::activations_are_half() const {
    return implementation_->decoder->placement.activations == at::kBFloat16;
}
double trainable_decoder::weight_bytes() const {
    const auto bytes_of = [](const at::Tensor& t) {
        return t.defined() ? static_cast<double>(t.nbytes()) : 0.0;
    };
    const torch_decoder& model = *implementation_->decoder;
    double bytes = bytes_of(model.embedding) + bytes_of(model.final_norm);
    if (!model.config.tied_embeddings) bytes += bytes_of(model.head);
    const shared_base_figures shared = shared_base();
    bytes += shared.own_bytes + shared.room_bytes;
    for (const auto& layer : model.layers)
        for (const auto& linear : layer.linears) {
            if (model.shared == nullptr) bytes += bytes_of(linear.weight);
            bytes += bytes_of(linear.bias);
            if (linear.codes != nullptr) bytes += static_cast<double>(linear.codes->bytes());
        }
    return bytes;
}
double trainable_decoder::dequantised_bytes() const {
    const torch_decoder& model = *implementation_->decoder;
    double largest = 0;
    for (const auto& layer : model.layers)
        for (const auto& linear : layer.linears)
            if (linear.codes != nullptr)
                largest = std::max(
                    largest, static_cast<double>(linear.inputs() * linear.outputs()) *
                                 static_cast<double>(c10::elementSize(model.placement.matrices)));
    // A product of our own packs the matrix first.
    return device().is_cpu() ? 2 * largest : largest;
}
bool trainable_decoder::shares_base() const { return implementation_->decoder->shared != nullptr; }
void trainable_decoder::gather_through(layer_exchange& exchange) {
    if (shares_base()) implementation_->decoder->shared->gather_through(exchange);
}
void trainable_decoder::take_part(pass_kind kind) const {
    if (shares_base()) implementation_->decoder->shared->take_part(kind == pass_kind::training);
}
shared_base_figures trainable_decoder::shared_base() const {
    const auto& shared = implementation_->decoder->shared;
    return shared == nullptr ? shared_base_figures() : shared->figures();
}
std::string trainable_decoder::name() const { return last_component(implementation_->folder); }
const std::vector<trainable_parameter>& trainable_decoder::parameters() const {
    return implementation_->parameters;
}
const at::Tensor& trainable_decoder::head() const { return implementation_->decoder->head; }

at::Tensor trainable_decoder::hidden_rows(std::span<const training_sample> batch,
                                          pass_kind kind) const {
    torch_decoder& decoder = *implementation_->decoder;
    const bool training = kind == pass_kind::training;
    const at::AutoGradMode differentiable(training);

    std::vector<std::int32_t> inputs;
    std::vector<std::int64_t> wanted;
    std::vector<std::pair<std::int64_t, std::int64_t>> samples;
    std::vector<kernels::dropout_sample> keys;
    for (const auto& sample : batch) {
        // Nothing depends on the row of a sample's last token.
        const auto begin = std::ssize(inputs);
        inputs.insert(inputs.end(), sample.tokens.begin(), sample.tokens.end() - 1);
        const auto end = std::ssize(inputs);
        samples.emplace_back(begin, end);
        keys.push_back({begin, sample.dropout_key});
        for (std::int64_t row = begin + static_cast<std::int64_t>(sample.prompt_length) - 1;
             row < end; ++row)
            wanted.push_back(row);
    }
    const auto rows = decoder.packed_rows(std::move(samples));
    rows->adapter = kind != pass_kind::reference;
    if (training && lora()) rows->dropout = dropout_plan(lora()->dropout, keys, device());
    return decoder.hidden_rows(inputs, wanted, rows);
}

}  // namespace cuset
