#include "cuset/model/merge.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "companions.h"
#include "cuset/model/safetensors.h"
#include "cuset/model/trainable_decoder.h"
#include "device.h"
#include "element_types.h"
#include "frozen_codes.h"
#include "weights.h"

namespace cuset {

namespace {

/// The linear layers by the name of their weight.
using named_layers = std::map<std::string, const linear_weights*, std::less<>>;

named_layers layers_of(const decoder_weights& weights) {
    named_layers layers;
    std::size_t number = 0;
    for (const auto& layer : weights.layers) {
        const std::string prefix = "model.layers." + std::to_string(number++) + ".";
        for (const auto& linear : linear_layers)
            layers[prefix + std::string(linear.name) + ".weight"] = &(layer.*linear.weights);
    }
    return layers;
}

/// Whether the tensor belongs to the weight that it is named after, as bitsandbytes' absmax does.
bool is_part(const named_layers& layers, std::string_view name) {
    constexpr std::string_view weight = ".weight";
    const std::size_t at = name.find(std::string(weight) + ".");
    return at != name.npos && layers.contains(name.substr(0, at + weight.size()));
}

at::Tensor matrix_of(const std::vector<float>& values, std::int64_t rows, std::int64_t columns) {
    return at::from_blob(const_cast<float*>(values.data()), {rows, columns}, at::kFloat);
}

at::Tensor stored_values(const stored_tensor& stored) {
    // Copied: a file's tensors need not be aligned.
    at::Tensor value = at::empty(stored.shape, scalar_type(stored.type));
    std::memcpy(value.data_ptr(), stored.bytes.data(), stored.bytes.size());
    return value;
}

/// `layer` is null for what is no linear layer's weight.
at::Tensor merged_tensor(const stored_tensor& stored, const linear_weights* layer) {
    at::Tensor value = layer != nullptr && layer->weight.quantised != nullptr
                           ? dequantised(*layer->weight.quantised, at::kFloat)
                           : stored_values(stored);
    if (layer == nullptr || !layer->update) return value;
    const low_rank_update& update = *layer->update;
    const at::Tensor a = matrix_of(update.a, update.rank, value.size(1));
    const at::Tensor b = matrix_of(update.b, value.size(0), update.rank);
    return value.to(at::kFloat).add_(at::mm(b, a), update.scale);
}

result<trainable_decoder> load_in_float(const std::filesystem::path& folder,
                                        const std::filesystem::path& adapter, quantisation quantise,
                                        int threads) {
    training_model_options options;
    options.dtype = compute_type::f32;
    options.device = "cpu";
    options.threads = threads;
    options.only_evaluates = true;
    options.quantise = quantise;
    if (!adapter.empty()) options.init_adapter = adapter;
    return trainable_decoder::load(folder, options);
}

}  // namespace

status merge_adapter(const std::filesystem::path& base, const std::filesystem::path& adapter,
                     const std::filesystem::path& merged, const merge_options& options) try {
    const at::NoGradGuard plain;
    CUSET_TRY(choose_kernels());
    CUSET_ASSIGN(const quantisation kept, resolve_quantisation(base, options.quantise));
    CUSET_ASSIGN(auto opened, open_checkpoint(base, compute_type::f32, adapter, kept,
                                              set_threads(options.threads)));
    const named_layers layers = layers_of(opened.weights);
    const auto& stored = opened.weights.files;
    std::vector<tensor_header> headers;
    std::vector<const stored_tensor*> tensors;
    const auto add = [&](const std::string& name, const stored_tensor& of_base,
                         const stored_tensor* tensor) {
        tensor_header header{name, of_base.type, of_base.shape};
        if (const auto found = layers.find(name); found != layers.end()) {
            const linear_weights& layer = *found->second;
            header.shape = {layer.weight.rows, layer.weight.columns};
            header.type = layer.type_before_codes.value_or(of_base.type);
        }
        if (options.keep_float) header.type = element_type::f32;
        headers.push_back(std::move(header));
        tensors.push_back(tensor);
    };
    for (const auto& tensor : stored.tensors())
        if (!is_part(layers, tensor.name))
            add(tensor.name, tensor, opened.weights.find(tensor.name));
    // An adapter that holds head or embeddings ends the tie of the two.
    const std::string head = "lm_head.weight";
    if (!opened.weights.config.tied_embeddings && stored.find(head) == nullptr) {
        const stored_tensor* embeddings = stored.find("model.embed_tokens.weight");
        const auto replaced = opened.weights.replaced.find(head);
        add(head, *embeddings,
            replaced == opened.weights.replaced.end() ? embeddings : replaced->second);
    }
    CUSET_TRY(
        copy_companions(base, merged, {options.keep_float, opened.weights.config.tied_embeddings}));
    at::Tensor current;
    const std::pair<std::string, std::string> metadata[] = {{"format", "pt"}};
    return write_safetensors(
        merged / "model.safetensors", headers,
        [&](std::size_t i) {
            const auto found = layers.find(headers[i].name);
            current = merged_tensor(*tensors[i], found == layers.end() ? nullptr : found->second)
                          .to(scalar_type(headers[i].type))
                          .contiguous();
            return std::span(static_cast<const std::byte*>(current.const_data_ptr()),
                             static_cast<std::size_t>(current.nbytes()));
        },
        metadata);
} catch (const std::exception& exception) {
    return thrown(exception);
}

result<logit_difference> compare_logits(const std::filesystem::path& base,
                                        const std::filesystem::path& adapter,
                                        const std::filesystem::path& merged,
                                        const merge_options& options,
                                        std::span<const std::int32_t> tokens) try {
    const at::NoGradGuard plain;
    CUSET_ASSIGN(const auto apart, load_in_float(base, adapter, options.quantise, options.threads));
    CUSET_ASSIGN(const auto whole, load_in_float(merged, {}, quantisation::none, options.threads));
    const training_sample sample{tokens, 1, 0};
    const auto batch = std::span(&sample, 1);
    const at::Tensor one = apart.hidden_rows(batch, pass_kind::evaluation);
    const at::Tensor two = whole.hidden_rows(batch, pass_kind::reference);
    logit_difference difference;
    difference.notes = apart.notes();
    constexpr std::int64_t rows = 64;
    for (std::int64_t row = 0; row < one.size(0); row += rows) {
        const std::int64_t count = std::min(rows, one.size(0) - row);
        const at::Tensor x = at::mm(one.narrow(0, row, count), apart.head().t());
        const at::Tensor y = at::mm(two.narrow(0, row, count), whole.head().t());
        difference.largest = std::max(difference.largest, (x - y).abs().max().item<double>());
        difference.largest_logit = std::max(difference.largest_logit, x.abs().max().item<double>());
    }
    return difference;
} catch (const std::exception& exception) {
    return thrown(exception);
}

}  // namespace cuset
