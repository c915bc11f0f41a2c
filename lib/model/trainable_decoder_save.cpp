#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

#include <filesystem>

#include "companions.h"
#include "cuset/model/safetensors.h"
#include "cuset/model/trainable_decoder.h"
#include "cuset/stream/json_text.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/output_file.h"
#include "device.h"
#include "element_types.h"

namespace cuset {

namespace {

/// adapter_config.json as peft writes it; missing keys have peft's defaults.
std::string adapter_config(const lora_options& lora, const std::string& base) {
    std::string text = "{\n  \"base_model_name_or_path\": ";
    append_json_string(base, text);
    text += ",\n  \"bias\": \"none\",\n  \"fan_in_fan_out\": false,\n  \"inference_mode\": true,\n";
    text += "  \"init_lora_weights\": true,\n  \"lora_alpha\": ";
    text += json_of(lora.alpha, 15);
    text += ",\n  \"lora_dropout\": ";
    text += json_of(lora.dropout, 15);
    text += ",\n  \"modules_to_save\": null,\n  \"peft_type\": \"LORA\",\n  \"r\": ";
    text += std::to_string(lora.rank);
    text +=
        ",\n  \"target_modules\": [\n    \"down_proj\",\n    \"gate_proj\",\n    \"k_proj\",\n"
        "    \"o_proj\",\n    \"q_proj\",\n    \"up_proj\",\n    \"v_proj\"\n  ],\n"
        "  \"task_type\": \"CAUSAL_LM\",\n  \"use_dora\": false,\n  \"use_rslora\": false\n}\n";
    return text;
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
    CUSET_TRY(copy_companions(this->folder(), folder, false));
    return write_safetensors(folder / "model.safetensors", headers, bytes, metadata);
} catch (const std::exception& exception) {
    return thrown(exception);
}

}  // namespace cuset
