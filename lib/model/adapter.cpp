#include "adapter.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapter_settings.h"
#include "cuset/kernels/decoder_rows.h"
#include "cuset/model/safetensors.h"
#include "json_text.h"

namespace cuset {

namespace {

/// A linear layer that can carry an update.
struct updatable {
    linear_weights* weights;
    std::int64_t layer;
};

constexpr std::string_view peft_root = "base_model.model.";

/// The linear layers by their names in peft's files.
std::map<std::string, updatable, std::less<>> layers_by_name(decoder_weights& weights) {
    std::map<std::string, updatable, std::less<>> layers;
    std::int64_t number = 0;
    for (auto& layer : weights.layers) {
        std::string prefix(peft_root);
        prefix += "model.layers.";
        prefix += std::to_string(number);
        prefix += '.';
        for (const auto& linear : linear_layers)
            layers[prefix + std::string(linear.name)] = {&(layer.*linear.weights), number};
        ++number;
    }
    return layers;
}

status read_matrix(const stored_tensor& tensor, std::int64_t rows, std::int64_t columns,
                   std::vector<float>& out) {
    if (tensor.shape != std::vector<std::int64_t>{rows, columns}) {
        return unsupported("tensor " + in_quotes(tensor.name) + " has shape " +
                           shape_text(tensor.shape) + ", but this model and rank take " +
                           shape_text({rows, columns}));
    }
    const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    out.resize(count);
    std::vector<std::uint16_t> aligned(tensor.type == element_type::f32 ? 0 : count);
    switch (tensor.type) {
        case element_type::f32:
            std::memcpy(out.data(), tensor.bytes.data(), tensor.bytes.size());
            return {};
        case element_type::bf16:
            std::memcpy(aligned.data(), tensor.bytes.data(), tensor.bytes.size());
            kernels::widen(reinterpret_cast<const kernels::bfloat16_bits*>(aligned.data()), count,
                           out.data());
            return {};
        case element_type::f16:
            std::memcpy(aligned.data(), tensor.bytes.data(), tensor.bytes.size());
            kernels::widen(reinterpret_cast<const kernels::float16_bits*>(aligned.data()), count,
                           out.data());
            return {};
        case element_type::other: break;
    }
    return unsupported("tensor " + in_quotes(tensor.name) + " is " + tensor.type_name +
                       ": only F32, F16 and BF16 adapters are supported");
}

constexpr std::string_view a_end = ".lora_A.weight", b_end = ".lora_B.weight";

std::filesystem::path weights_path(const std::filesystem::path& folder) {
    return folder / "adapter_model.safetensors";
}

std::string_view module_of(std::string_view tensor) { return tensor.substr(0, tensor.rfind('.')); }

/// The tensors of modules_to_save go to weights.replaced. With ensure_weight_tying, peft saves
/// both head and embeddings of a model that ties them, where one is named.
status find_saved(const adapter_settings& settings, decoder_weights& weights) {
    const bool is_tied = weights.config.tied_embeddings;
    const bool saves_both = settings.ensures_tying && is_tied &&
                            (settings.saves("lm_head") || settings.saves("model.embed_tokens"));
    const auto saves = [&](std::string_view module) {
        return settings.saves(module) ||
               (saves_both && (module == "lm_head" || module == "model.embed_tokens"));
    };
    for (const auto& tensor : weights.adapter_files.tensors()) {
        const std::string_view name = tensor.name;
        if (!name.starts_with(peft_root)) continue;
        const std::string_view own = name.substr(peft_root.size());
        const bool is_update = own.ends_with(a_end) || own.ends_with(b_end);
        const auto module = is_update ? own.substr(0, own.size() - a_end.size()) : module_of(own);
        if (!saves(module)) continue;
        if (is_update)
            return unsupported("tensor " + in_quotes(name) +
                               " is an update of a module that modules_to_save names");
        weights.replaced.emplace(own, &tensor);
    }
    const auto check = [&](const std::string& name) {
        if (!saves(module_of(name)) || weights.replaced.contains(name)) return status::ok();
        return data_error("tensor " + in_quotes(std::string(peft_root) + name) +
                          " is missing: modules_to_save names its module");
    };
    for (const auto& tensor : weights.files.tensors()) CUSET_TRY(check(tensor.name));
    return is_tied ? check("lm_head.weight") : status::ok();
}

/// The error for a tensor that is no update of a linear layer of the decoder.
status no_update(const stored_tensor& tensor) {
    return unsupported(
        "tensor " + in_quotes(tensor.name) +
        " is no lora_A or lora_B weight of a linear layer of this model's decoder: updates of the "
        "embeddings, of the head and of other modules are not supported");
}

status read_updates(const adapter_settings& settings, decoder_weights& weights,
                    std::optional<adapter_shape>& shape) {
    const auto layers = layers_by_name(weights);
    std::vector<std::string_view> left_out;
    for (const auto& tensor : weights.adapter_files.tensors()) {
        const std::string_view name = tensor.name;
        if (name.starts_with(peft_root) && weights.replaced.contains(name.substr(peft_root.size())))
            continue;
        const bool is_a = name.ends_with(a_end);
        if (!is_a && !name.ends_with(b_end)) return no_update(tensor);
        const auto layer_name = name.substr(0, name.size() - a_end.size());
        const auto found = layers.find(layer_name);
        if (found == layers.end()) return no_update(tensor);
        const std::string module(layer_name.substr(peft_root.size()));
        if (!settings.names(module, found->second.layer)) {
            left_out.push_back(name);
            continue;
        }
        linear_weights& layer = *found->second.weights;
        if (!layer.update) layer.update.emplace();
        const adapter_shape own = settings.shape_of(module);
        layer.update->rank = own.rank;
        layer.update->scale = static_cast<float>(own.scale());
        if (!shape) shape = own;
        if (shape->rank != own.rank || shape->alpha != own.alpha) shape->is_uniform = false;
        CUSET_TRY(is_a ? read_matrix(tensor, own.rank, layer.weight.columns, layer.update->a)
                       : read_matrix(tensor, layer.weight.rows, own.rank, layer.update->b));
    }
    for (const auto& [name, layer] : layers) {
        const auto& update = layer.weights->update;
        if (update && (update->a.empty() || update->b.empty()))
            return data_error(
                "tensor " +
                in_quotes(name + (update->a.empty() ? ".lora_A" : ".lora_B") + ".weight") +
                " is missing");
    }
    if (!shape) return data_error("adapter_config.json names none of its tensors");
    if (!left_out.empty())
        weights.notes.push_back(
            "left out, as in peft: " + std::to_string(left_out.size()) +
            (left_out.size() == 1 ? " tensor" : " tensors") +
            " of the adapter that adapter_config.json does not name, the first " +
            in_quotes(left_out.front()));
    return {};
}

}  // namespace

result<adapter_settings> open_adapter(const std::filesystem::path& folder,
                                      decoder_weights& weights) {
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error))
        return io_error(folder.string(), error ? error.value() : ENOTDIR);
    const auto config_path = folder / "adapter_config.json";
    CUSET_ASSIGN(auto text, file_map::open(config_path));
    auto settings = parse_adapter_settings(as_text(text.bytes()));
    if (!settings) return std::move(settings).error().with_prefix(config_path.string() + ": ");
    CUSET_ASSIGN(weights.adapter_files, tensor_store::open_file(weights_path(folder)));
    status found = weights.adapter_files.tensors().empty() ? data_error("holds no tensors")
                                                           : find_saved(*settings, weights);
    if (!found) return std::move(found).with_prefix(weights_path(folder).string() + ": ");
    return settings;
}

result<adapter_shape> apply_updates(const std::filesystem::path& folder,
                                    const adapter_settings& settings, decoder_weights& weights) {
    std::optional<adapter_shape> shape;
    CUSET_TRY(
        read_updates(settings, weights, shape).with_prefix(weights_path(folder).string() + ": "));
    return *shape;
}

}  // namespace cuset
