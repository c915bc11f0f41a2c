#include "adapter.h"

#include <simdjson.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "cuset/kernels/decoder_rows.h"
#include "cuset/model/safetensors.h"
#include "json_text.h"

namespace cuset {

namespace {

struct adapter_settings {
    adapter_shape shape;
    float scale = 0;
};

bool is_unset(simdjson::dom::element value) {
    simdjson::dom::object object;
    simdjson::dom::array array;
    bool flag = false;
    return value.is_null() || (value.get(flag) == simdjson::SUCCESS && !flag) ||
           (value.get(object) == simdjson::SUCCESS && object.size() == 0) ||
           (value.get(array) == simdjson::SUCCESS && array.size() == 0);
}

/// Settings that do not change what the stored matrices compute, or that are read below. Any other
/// setting is refused: a list of the harmful ones would be incomplete with the next peft.
constexpr std::string_view harmless[] = {
    "task_type",
    "peft_type",
    "auto_mapping",
    "peft_version",
    "revision",
    "base_model_name_or_path",
    "inference_mode",
    "r",
    "target_modules",
    "exclude_modules",
    "lora_alpha",
    "lora_dropout",
    "bias",
    "use_rslora",
    "init_lora_weights",
    "layers_to_transform",
    "layers_pattern",
    "megatron_core",
    "qalora_group_size",
    "ensure_weight_tying",
    "eva_config",
};

result<adapter_settings> parse_settings(std::string_view json) {
    simdjson::dom::parser parser;
    CUSET_ASSIGN(const simdjson::dom::object fields, parse_object(parser, json));
    std::string_view type;
    if (fields["peft_type"].get(type) != simdjson::SUCCESS)
        return data_error("\"peft_type\" is missing or no string");
    if (type != "LORA")
        return unsupported("peft_type " + in_quotes(type) + " is not supported (LORA is)");
    for (const auto field : fields) {
        if (std::find(std::begin(harmless), std::end(harmless), field.key) == std::end(harmless) &&
            !is_unset(field.value) && field.key != "fan_in_fan_out")
            return refused(field.key, field.value);
    }
    bool transposed = false, rank_stabilised = false;
    if (fields["fan_in_fan_out"].get(transposed) == simdjson::SUCCESS && transposed)
        return unsupported("fan_in_fan_out true is not supported");
    std::string_view bias;
    if (fields["bias"].get(bias) == simdjson::SUCCESS && bias != "none")
        return unsupported("bias " + in_quotes(bias) + " is not supported (none is)");
    simdjson::dom::element start;
    if (fields["init_lora_weights"].get(start) == simdjson::SUCCESS) {
        // The other ways to start change the base weights as well as A and B.
        std::string_view name;
        const bool keeps_base = start.is_bool() || start.is_null() ||
                                (start.get(name) == simdjson::SUCCESS &&
                                 (name == "gaussian" || name == "orthogonal" || name == "eva"));
        if (!keeps_base) return refused("init_lora_weights", start);
    }
    adapter_settings settings;
    if (fields["r"].get(settings.shape.rank) != simdjson::SUCCESS || settings.shape.rank < 1 ||
        settings.shape.rank > (1 << 16))
        return data_error("\"r\" is missing or no rank");
    double& alpha = settings.shape.alpha;
    if (fields["lora_alpha"].get(alpha) != simdjson::SUCCESS || !std::isfinite(alpha))
        return data_error("\"lora_alpha\" is missing or no number");
    if (fields["use_rslora"].get(rank_stabilised) != simdjson::SUCCESS) rank_stabilised = false;
    const auto rank = static_cast<double>(settings.shape.rank);
    if (rank_stabilised) alpha *= std::sqrt(rank);
    settings.scale = static_cast<float>(alpha / rank);
    return settings;
}

/// The linear layers by their names in peft.
std::map<std::string, linear_weights*, std::less<>> layers_by_name(decoder_weights& weights) {
    std::map<std::string, linear_weights*, std::less<>> layers;
    std::size_t number = 0;
    for (auto& layer : weights.layers) {
        const std::string prefix =
            "base_model.model.model.layers." + std::to_string(number++) + ".";
        for (const auto& linear : linear_layers)
            layers[prefix + std::string(linear.name)] = &(layer.*linear.weights);
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

status read_updates(const tensor_store& files, const adapter_settings& settings,
                    decoder_weights& weights) {
    const auto layers = layers_by_name(weights);
    if (files.tensors().empty()) return data_error("holds no tensors");
    for (const auto& tensor : files.tensors()) {
        constexpr std::string_view a_end = ".lora_A.weight", b_end = ".lora_B.weight";
        const std::string_view name = tensor.name;
        const bool is_a = name.ends_with(a_end);
        if (!is_a && !name.ends_with(b_end))
            return unsupported("tensor " + in_quotes(name) + " is no lora_A or lora_B weight");
        const auto layer_name = name.substr(0, name.size() - a_end.size());
        const auto found = layers.find(layer_name);
        if (found == layers.end())
            return unsupported("tensor " + in_quotes(name) +
                               " updates no linear layer of this model's decoder");
        linear_weights& layer = *found->second;
        if (!layer.update) layer.update.emplace();
        layer.update->rank = settings.shape.rank;
        layer.update->scale = settings.scale;
        CUSET_TRY(
            is_a ? read_matrix(tensor, settings.shape.rank, layer.weight.columns, layer.update->a)
                 : read_matrix(tensor, layer.weight.rows, settings.shape.rank, layer.update->b));
    }
    for (const auto& [name, layer] : layers) {
        if (layer->update && (layer->update->a.empty() || layer->update->b.empty()))
            return data_error(
                "tensor " +
                in_quotes(name + (layer->update->a.empty() ? ".lora_A" : ".lora_B") + ".weight") +
                " is missing");
    }
    return {};
}

}  // namespace

result<adapter_shape> load_adapter(const std::filesystem::path& folder, decoder_weights& weights) {
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error))
        return io_error(folder.string(), error ? error.value() : ENOTDIR);
    const auto config_path = folder / "adapter_config.json";
    const auto weights_path = folder / "adapter_model.safetensors";
    CUSET_ASSIGN(auto text, file_map::open(config_path));
    auto settings = parse_settings(as_text(text.bytes()));
    if (!settings) return std::move(settings).error().with_prefix(config_path.string() + ": ");
    CUSET_ASSIGN(auto files, tensor_store::open_file(weights_path));
    CUSET_TRY(read_updates(files, *settings, weights).with_prefix(weights_path.string() + ": "));
    return settings->shape;
}

}  // namespace cuset
