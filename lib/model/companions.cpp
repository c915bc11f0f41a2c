#include "companions.h"

#include <simdjson.h>

#include <string>
#include <string_view>

#include "cuset/model/safetensors.h"
#include "cuset/stream/output_file.h"
#include "json_text.h"

namespace cuset {

namespace {

constexpr const char* companions[] = {
    "config.json",           "generation_config.json",  "tokenizer.json",
    "tokenizer_config.json", "special_tokens_map.json", "chat_template.jinja"};

/// The config with the value of torch_dtype (in newer files dtype) replaced; all other bytes stay.
result<std::string> typed_as_float(std::string_view config) {
    namespace json = simdjson::ondemand;
    const simdjson::padded_string text(config);
    std::string typed(config);
    json::parser parser;
    json::document document;
    json::object fields;
    auto error = parser.iterate(text).get(document);
    if (!error) error = document.get_object().get(fields);
    if (error) return data_error("config.json: no JSON object: " + json_fault(error));
    for (auto field : fields) {
        std::string_view key;
        if (field.unescaped_key().get(key) || (key != "torch_dtype" && key != "dtype")) continue;
        std::string_view value;
        if (field.value().raw_json_token().get(value)) continue;
        const auto length = value.find_last_not_of(" \t\r\n") + 1;
        return typed.replace(static_cast<std::size_t>(value.data() - text.data()), length,
                             "\"float32\"");
    }
    return typed;
}

}  // namespace

status copy_companions(const std::filesystem::path& from, const std::filesystem::path& to,
                       bool float_weights) {
    for (const char* name : companions) {
        if (!std::filesystem::exists(from / name)) continue;
        CUSET_ASSIGN(const auto map, file_map::open(from / name));
        std::string bytes(as_text(map.bytes()));
        if (float_weights && name == companions[0]) {
            CUSET_ASSIGN(bytes, typed_as_float(bytes));
        }
        CUSET_TRY(write_whole_file((to / name).string(), bytes));
    }
    return {};
}

}  // namespace cuset
