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

constexpr std::string_view blanks = " \t\r\n";

/// The config with the values replaced that say otherwise, and without quantization_config; all
/// other bytes stay.
result<std::string> config_for(const stored_weights& weights, std::string_view config) {
    namespace json = simdjson::ondemand;
    const simdjson::padded_string text(config);
    std::string changed;
    std::size_t copied = 0;
    json::parser parser;
    json::document document;
    json::object fields;
    auto error = parser.iterate(text).get(document);
    if (!error) error = document.get_object().get(fields);
    if (error) return data_error("config.json: no JSON object: " + json_fault(error));
    const auto place = [&](const char* at) { return static_cast<std::size_t>(at - text.data()); };
    for (auto field : fields) {
        std::string_view key, value;
        json::raw_json_string name;
        if (field.key().get(name) || field.unescaped_key().get(key)) continue;
        if (key == "quantization_config") {
            if (simdjson::to_json_string(field.value()).get(value)) continue;
            const std::size_t begin = place(name.raw()) - 1;  // at the name's quote
            changed.append(config.substr(copied, begin - copied));
            copied = place(value.data()) + value.size();
            if (const auto next = config.find_first_not_of(blanks, copied); config[next] == ',')
                copied = config.find_first_not_of(blanks, next + 1);
            else  // the last member: the comma before it goes
                changed.erase(changed.find_last_not_of(", \t\r\n") + 1);
            continue;
        }
        const bool is_type = weights.in_float && (key == "torch_dtype" || key == "dtype");
        const bool is_tie = !weights.tied_embeddings && key == "tie_word_embeddings";
        if ((!is_type && !is_tie) || field.value().raw_json_token().get(value)) continue;
        const std::size_t begin = place(value.data());
        changed.append(config.substr(copied, begin - copied))
            .append(is_type ? "\"float32\"" : "false");
        copied = begin + value.find_last_not_of(blanks) + 1;
    }
    return changed.append(config.substr(copied));
}

}  // namespace

status copy_companions(const std::filesystem::path& from, const std::filesystem::path& to,
                       const stored_weights& weights) {
    for (const char* name : companions) {
        if (!std::filesystem::exists(from / name)) continue;
        CUSET_ASSIGN(const auto map, file_map::open(from / name));
        std::string bytes(as_text(map.bytes()));
        if (name == companions[0]) {
            CUSET_ASSIGN(bytes, config_for(weights, bytes));
        }
        CUSET_TRY(write_whole_file((to / name).string(), bytes));
    }
    return {};
}

}  // namespace cuset
