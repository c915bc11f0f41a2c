#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "companions.h"
#include "cuset/model/safetensors.h"
#include "cuset/model/trainable_decoder.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/output_file.h"
#include "device.h"
#include "element_types.h"

namespace cuset {

namespace {

/// adapter_config.json as peft writes it; missing keys have peft's defaults.
std::string adapter_config(const lora_options& lora, const std::string& base) {
    std::string text;
    json_writer json(text);
    json.begin_object(json_layout::lines).member("base_model_name_or_path", base);
    json.member("bias", "none").member("fan_in_fan_out", false).member("inference_mode", true);
    json.member("init_lora_weights", true).member("lora_alpha", lora.alpha, 15);
    json.member("lora_dropout", lora.dropout, 15).key("modules_to_save").null();
    json.member("peft_type", "LORA").member("r", lora.rank);
    json.key("target_modules").begin_array(json_layout::lines);
    std::vector<std::string> targets = lora.targets.empty() ? linear_layer_names() : lora.targets;
    std::ranges::sort(targets);
    for (const auto& name : targets) json.value(name);
    json.end_array().member("task_type", "CAUSAL_LM").member("use_dora", false);
    json.member("use_rslora", lora.rank_stabilised).end_object();
    return text + '\n';
}

}  // namespace

status trainable_decoder::save(const std::filesystem::path& folder) const try {
    const at::NoGradGuard plain;
    std::vector<tensor_header> headers;
    for (const auto& parameter : parameters())
        headers.push_back({parameter.name, parameter.stored, parameter.value.sizes().vec()});
    at::Tensor current;
    const auto bytes = [&](std::size_t i) {
        const auto& parameter = parameters()[i];
        current = parameter.value.to(at::kCPU, scalar_type(parameter.stored)).contiguous();
        return std::span(static_cast<const std::byte*>(current.const_data_ptr()),
                         static_cast<std::size_t>(current.nbytes()));
    };
    const std::pair<std::string, std::string> metadata[] = {{"format", "pt"}};
    if (lora()) {
        CUSET_TRY(
            write_safetensors(folder / "adapter_model.safetensors", headers, bytes, metadata));
        return write_whole_file((folder / "adapter_config.json").string(),
                                adapter_config(*lora(), this->folder().string()));
    }
    CUSET_TRY(copy_companions(this->folder(), folder,
                              {.in_float = false, .tied_embeddings = config().tied_embeddings}));
    return write_safetensors(folder / "model.safetensors", headers, bytes, metadata);
} catch (const std::exception& exception) {
    return thrown(exception);
}

}  // namespace cuset
