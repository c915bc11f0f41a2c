#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <filesystem>

#include "cuset/model/safetensors.h"
#include "cuset/model/trainable_decoder.h"
#include "cuset/stream/json_text.h"
#include "cuset/stream/output_file.h"
#include "device.h"

namespace cuset {

namespace {

/// adapter_config.json as peft writes it; what is left out has peft's default.
std::string adapter_config(const lora_options& lora, const std::string& base) {
    std::string text = "{\n  \"base_model_name_or_path\": ";
    append_json_string(base, text);
    text += ",\n  \"bias\": \"none\",\n  \"fan_in_fan_out\": false,\n  \"inference_mode\": true,\n";
    text += "  \"init_lora_weights\": true,\n  \"lora_alpha\": ";
    append_number(lora.alpha, 15, text);
    text += ",\n  \"lora_dropout\": ";
    append_number(lora.dropout, 15, text);
    text += ",\n  \"modules_to_save\": null,\n  \"peft_type\": \"LORA\",\n  \"r\": ";
    text += std::to_string(lora.rank);
    text +=
        ",\n  \"target_modules\": [\n    \"down_proj\",\n    \"gate_proj\",\n    \"k_proj\",\n"
        "    \"o_proj\",\n    \"q_proj\",\n    \"up_proj\",\n    \"v_proj\"\n  ],\n"
        "  \"task_type\": \"CAUSAL_LM\",\n  \"use_dora\": false,\n  \"use_rslora\": false\n}\n";
    return text;
}

status write_text(const std::filesystem::path& path, const std::string& text) {
    CUSET_ASSIGN(auto out, output_file::open(path.string()));
    CUSET_TRY(out.write(text));
    return out.commit();
}

/// What a model folder holds beside its weights, as far as the base has it.
constexpr const char* companions[] = {
    "config.json",           "generation_config.json",  "tokenizer.json",
    "tokenizer_config.json", "special_tokens_map.json", "chat_template.jinja"};

status copy_companion(const std::filesystem::path& from, const std::filesystem::path& to) {
    CUSET_ASSIGN(const auto map, file_map::open(from));
    CUSET_ASSIGN(auto out, output_file::open(to.string()));
    CUSET_TRY(out.write({reinterpret_cast<const char*>(map.bytes().data()), map.bytes().size()}));
    return out.commit();
}

at::ScalarType scalar_type(element_type type) {
    switch (type) {
        case element_type::bf16: return at::kBFloat16;
        case element_type::f16: return at::kHalf;
        default: return at::kFloat;
    }
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
        return write_text(folder / "adapter_config.json",
                          adapter_config(*lora(), this->folder().string()));
    }
    for (const char* name : companions) {
        if (std::filesystem::exists(this->folder() / name))
            CUSET_TRY(copy_companion(this->folder() / name, folder / name));
    }
    return write_safetensors(folder / "model.safetensors", headers, bytes, metadata);
} catch (const std::exception& exception) {
    return thrown(exception);
}

}  // namespace cuset
