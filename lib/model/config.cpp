#include "cuset/model/config.h"

#include <simdjson.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "cuset/model/safetensors.h"
#include "json_text.h"

namespace cuset {

namespace {

using simdjson::dom::element;
using simdjson::dom::object;

/// The value of `key`; nothing if it is absent or null, which transformers treats alike.
std::optional<element> present(const object& fields, std::string_view key) {
    element value;
    if (fields[key].get(value) != simdjson::SUCCESS || value.is_null()) return {};
    return value;
}

status mistyped(const char* key, element value, const char* wanted) {
    return data_error("\"" + std::string(key) + "\" is " + value_text(value) + ", not " + wanted);
}

/// Reads a count. If it is absent, the value stays as it is, unless `required`.
status read_count(const object& fields, const char* key, bool required, std::int64_t& out) {
    const auto value = present(fields, key);
    if (!value)
        return required ? data_error("\"" + std::string(key) + "\" is missing") : status::ok();
    // 2^24 rows or columns are more than any model has; the bound keeps products within 64 bits.
    std::int64_t number = 0;
    if (value->get(number) != simdjson::SUCCESS || number < 1 || number > (1 << 24))
        return mistyped(key, *value, "a count");
    out = number;
    return {};
}

status read_number(const object& fields, const char* key, double& out) {
    const auto value = present(fields, key);
    if (!value) return {};
    double number = 0;
    if (value->get(number) != simdjson::SUCCESS || !(number > 0) || !std::isfinite(number))
        return mistyped(key, *value, "a positive number");
    out = number;
    return {};
}

status read_flag(const object& fields, const char* key, bool& out) {
    const auto value = present(fields, key);
    if (value && value->get(out) != simdjson::SUCCESS) return mistyped(key, *value, "a boolean");
    return {};
}

status read_architecture(const object& root, model_config& config) {
    struct entry {
        std::string_view type, class_name;
        architecture arch;
    };
    static constexpr std::array<entry, 3> supported{{
        {"llama", "LlamaForCausalLM", architecture::llama},
        {"qwen2", "Qwen2ForCausalLM", architecture::qwen2},
        {"qwen3", "Qwen3ForCausalLM", architecture::qwen3},
    }};
    const auto type = present(root, "model_type");
    std::string_view type_name;
    if (!type || type->get(type_name) != simdjson::SUCCESS)
        return data_error("\"model_type\" is missing or no string");
    const entry* found = nullptr;
    for (const auto& candidate : supported)
        if (candidate.type == type_name) found = &candidate;
    if (found == nullptr)
        return unsupported("model_type " + in_quotes(type_name) +
                           " is not supported (llama, qwen2 and qwen3 are)");
    config.arch = found->arch;
    if (const auto classes = present(root, "architectures")) {
        simdjson::dom::array names;
        if (classes->get(names) != simdjson::SUCCESS)
            return data_error("\"architectures\" is no array");
        for (const auto name : names) {
            std::string_view class_name;
            if (name.get(class_name) != simdjson::SUCCESS || class_name != found->class_name)
                return refused("architectures", *classes);
        }
    }
    return {};
}

/// Reads what rope_parameters (transformers 5), rope_scaling (4) and the root may have.
status read_rotation(const object& fields, rope_config& rope) {
    CUSET_TRY(read_number(fields, "rope_theta", rope.theta));
    double rotated_share = 1.0;
    CUSET_TRY(read_number(fields, "partial_rotary_factor", rotated_share));
    return rotated_share == 1.0 ? status::ok()
                                : refused("partial_rotary_factor", fields["partial_rotary_factor"]);
}

status read_rope_number(const object& fields, const char* key, double& out) {
    if (!present(fields, key))
        return data_error("the rope's \"" + std::string(key) + "\" is missing");
    return read_number(fields, key, out);
}

/// `fields` is rope_parameters or rope_scaling.
status read_rope_type(const object& fields, rope_config& rope) {
    for (const auto field : fields)
        if (field.value.is_object()) return refused("rope_parameters of layer kinds", field.value);
    auto type = present(fields, "rope_type");
    if (!type) type = present(fields, "type");
    std::string_view name = "default";
    if (type && type->get(name) != simdjson::SUCCESS) return data_error("rope type is no string");
    CUSET_TRY(read_rotation(fields, rope));
    if (name == "default") {
        rope.kind = rope_kind::plain;
    } else if (name == "linear" || name == "llama3") {
        rope.kind = name == "linear" ? rope_kind::linear : rope_kind::llama3;
        CUSET_TRY(read_rope_number(fields, "factor", rope.factor));
        if (rope.kind == rope_kind::llama3) {
            CUSET_TRY(read_rope_number(fields, "low_freq_factor", rope.low_freq_factor));
            CUSET_TRY(read_rope_number(fields, "high_freq_factor", rope.high_freq_factor));
            CUSET_TRY(read_rope_number(fields, "original_max_position_embeddings",
                                       rope.original_positions));
            if (!(rope.high_freq_factor > rope.low_freq_factor))
                return data_error("the rope's high_freq_factor is not above its low_freq_factor");
        }
    } else {
        return unsupported("rope type " + in_quotes(name) + " is not supported");
    }
    return {};
}

status read_rope(const object& root, rope_config& rope) {
    CUSET_TRY(read_rotation(root, rope));
    // transformers 5 writes rope_parameters and reads rope_scaling as another name of it.
    for (const char* key : {"rope_scaling", "rope_parameters"}) {
        const auto value = present(root, key);
        if (!value) continue;
        object fields;
        if (value->get(fields) != simdjson::SUCCESS)
            return data_error("\"" + std::string(key) + "\" is no object");
        CUSET_TRY(read_rope_type(fields, rope));
    }
    return {};
}

/// Refuses fields that would change the result in a way that this library does not know.
status refuse_variants(const object& root) {
    if (const auto value = present(root, "hidden_act")) {
        std::string_view name;
        if (value->get(name) != simdjson::SUCCESS || (name != "silu" && name != "swish"))
            return refused("hidden_act", *value);
    }
    bool sliding = false;
    CUSET_TRY(read_flag(root, "use_sliding_window", sliding));
    if (sliding) return refused("use_sliding_window", root["use_sliding_window"]);
    if (const auto value = present(root, "layer_types")) {
        simdjson::dom::array kinds;
        if (value->get(kinds) != simdjson::SUCCESS)
            return data_error("\"layer_types\" is no array");
        for (const auto kind : kinds) {
            std::string_view name;
            if (kind.get(name) != simdjson::SUCCESS || name != "full_attention")
                return refused("layer_types", kind);
        }
    }
    return {};
}

/// transformers writes what bitsandbytes was told, with load_in_4bit or load_in_8bit. Versions
/// before quant_method was a field had no other way to quantise.
status read_quantisation(const object& root, quantisation& stored) {
    const auto value = present(root, "quantization_config");
    if (!value) return {};
    object fields;
    if (value->get(fields) != simdjson::SUCCESS)
        return data_error("\"quantization_config\" is no object");
    std::string_view method = "bitsandbytes", form = "fp4";  // bitsandbytes' own default
    bool in_4_bits = false, in_8_bits = false;
    const auto read_word = [&](const char* key, std::string_view& to) -> status {
        const auto word = present(fields, key);
        if (word && word->get(to) != simdjson::SUCCESS) return mistyped(key, *word, "a string");
        return {};
    };
    CUSET_TRY(read_word("quant_method", method));
    CUSET_TRY(read_word("bnb_4bit_quant_type", form));
    CUSET_TRY(read_flag(fields, "load_in_4bit", in_4_bits));
    CUSET_TRY(read_flag(fields, "load_in_8bit", in_8_bits));
    if (method != "bitsandbytes")
        form = method;
    else if (!in_4_bits && !in_8_bits)
        return data_error(
            "\"quantization_config\" says neither \"load_in_4bit\" nor \"load_in_8bit\"");
    else if (!in_4_bits)
        form = "llm.int8";
    else if (form == "nf4") {
        stored = quantisation::nf4;
        return {};
    }
    return unsupported("quantization_config: weights that are stored in " + in_quotes(form) +
                       " are not supported (bitsandbytes' \"nf4\" is): give the unquantised ones");
}

status read_sizes(const object& root, model_config& config) {
    CUSET_TRY(read_count(root, "num_hidden_layers", true, config.layers));
    CUSET_TRY(read_count(root, "hidden_size", true, config.hidden));
    CUSET_TRY(read_count(root, "intermediate_size", true, config.intermediate));
    CUSET_TRY(read_count(root, "num_attention_heads", true, config.heads));
    CUSET_TRY(read_count(root, "vocab_size", true, config.vocab));
    config.kv_heads = config.heads;
    CUSET_TRY(read_count(root, "num_key_value_heads", false, config.kv_heads));
    config.max_positions = 2048;
    CUSET_TRY(read_count(root, "max_position_embeddings", false, config.max_positions));
    CUSET_TRY(read_number(root, "rms_norm_eps", config.norm_epsilon));
    if (config.heads % config.kv_heads != 0)
        return data_error("num_attention_heads " + std::to_string(config.heads) +
                          " is no multiple of num_key_value_heads " +
                          std::to_string(config.kv_heads));
    if (present(root, "head_dim")) {
        CUSET_TRY(read_count(root, "head_dim", true, config.head_dim));
    } else if (config.arch == architecture::qwen3) {
        config.head_dim = 128;  // the family's default for any hidden size
    } else if (config.hidden % config.heads == 0) {
        config.head_dim = config.hidden / config.heads;
    } else {
        return data_error("hidden_size " + std::to_string(config.hidden) +
                          " is no multiple of num_attention_heads " + std::to_string(config.heads));
    }
    if (config.head_dim % 2 != 0)
        return unsupported("an odd head_dim (" + std::to_string(config.head_dim) +
                           ") is not supported");
    return {};
}

/// Whether the path is a model file of llama.cpp.
bool is_gguf(const std::filesystem::path& path) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) return false;
    char magic[4] = {};
    std::ifstream(path, std::ios::binary).read(magic, sizeof magic);
    return std::string_view(magic, sizeof magic) == "GGUF";
}

status gguf_instead(const std::filesystem::path& path) {
    return unsupported(path.string() +
                       ": a GGUF model: give the Hugging Face folder that it was made from, or see "
                       "MODELS in cuset(7) for how to make one of it");
}

}  // namespace

std::string_view name_of(quantisation kind) {
    switch (kind) {
        case quantisation::nf4: return "nf4";
        case quantisation::int8: return "int8";
        case quantisation::none: break;
    }
    return "";
}

result<model_config> parse_model_config(std::string_view json) {
    simdjson::dom::parser parser;
    CUSET_ASSIGN(const object root, parse_object(parser, json));
    model_config config;
    CUSET_TRY(read_architecture(root, config));
    CUSET_TRY(refuse_variants(root));
    CUSET_TRY(read_quantisation(root, config.stored_quantisation));
    CUSET_TRY(read_sizes(root, config));
    CUSET_TRY(read_rope(root, config.rope));
    CUSET_TRY(read_flag(root, "tie_word_embeddings", config.tied_embeddings));
    if (config.arch == architecture::qwen2) {
        config.qkv_bias = true;  // part of the architecture: no field says so
    } else {
        bool attention_bias = false;
        CUSET_TRY(read_flag(root, "attention_bias", attention_bias));
        config.qkv_bias = config.output_bias = attention_bias;
    }
    if (config.arch == architecture::llama) CUSET_TRY(read_flag(root, "mlp_bias", config.mlp_bias));
    config.qk_norm = config.arch == architecture::qwen3;
    for (const char* key : {"torch_dtype", "dtype"}) {
        std::string_view name;
        if (const auto value = present(root, key); value && value->get(name) == simdjson::SUCCESS)
            config.stored_type = name;
    }
    return config;
}

result<model_config> read_model_config(const std::filesystem::path& file) {
    CUSET_ASSIGN(auto text, file_map::open(file));
    auto config = parse_model_config(as_text(text.bytes()));
    if (!config) return std::move(config).error().with_prefix(file.string() + ": ");
    return config;
}

status check_token(std::int32_t token, std::int64_t vocab) {
    if (token >= 0 && token < vocab) return {};
    return data_error("token " + std::to_string(token) + " is outside the model's " +
                      std::to_string(vocab) + " tokens");
}

status check_model_folder(const std::filesystem::path& folder) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (is_gguf(folder)) return gguf_instead(folder);
    if (!fs::is_directory(folder, error))
        return io_error(folder.string(), error ? error.value() : ENOTDIR);
    if (!fs::exists(folder / "model.safetensors", error) &&
        !fs::exists(folder / "model.safetensors.index.json", error)) {
        for (const auto& entry : fs::directory_iterator(folder, error))
            if (is_gguf(entry.path())) return gguf_instead(entry.path());
    }
    const auto config = read_model_config(folder / "config.json");
    return config ? status::ok() : config.error();
}

}  // namespace cuset
