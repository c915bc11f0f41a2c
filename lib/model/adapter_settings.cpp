#include "adapter_settings.h"

#include <simdjson.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "json_text.h"

namespace cuset {

namespace {

/// A regular expression of Python's, for those that configs have: the dialects agree on them.
result<std::regex> compiled(std::string_view key, const std::string& expression) {
    try {
        return std::regex(expression);
    } catch (const std::regex_error&) {
        return unsupported(std::string(key) + ' ' + in_quotes(expression) +
                           ": only regular expressions that ECMAScript has too are supported");
    }
}

bool is_unset(simdjson::dom::element value) {
    simdjson::dom::object object;
    simdjson::dom::array array;
    bool flag = false;
    return value.is_null() || (value.get(flag) == simdjson::SUCCESS && !flag) ||
           (value.get(object) == simdjson::SUCCESS && object.size() == 0) ||
           (value.get(array) == simdjson::SUCCESS && array.size() == 0);
}

result<std::vector<std::string>> read_names(std::string_view key, simdjson::dom::element value) {
    simdjson::dom::array entries;
    std::string_view name;
    std::vector<std::string> names;
    if (value.get(name) == simdjson::SUCCESS) return std::vector{std::string(name)};
    if (value.get(entries)) return data_error(in_quotes(key) + " is no name and no list of names");
    for (const auto entry : entries) {
        if (entry.get(name)) return data_error(in_quotes(key) + " holds what is no name");
        names.emplace_back(name);
    }
    return names;
}

result<module_choice> read_choice(std::string_view key, simdjson::dom::element value) {
    module_choice choice;
    CUSET_ASSIGN(choice.ends, read_names(key, value));
    if (!value.is_string()) return choice;
    std::string word = choice.ends[0];
    for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    choice.all = word == "all-linear";
    if (choice.all) return choice;
    CUSET_ASSIGN(choice.expression, compiled(key, choice.ends[0]));
    return choice;
}

result<module_values> read_values(std::string_view key, simdjson::dom::element value, bool ranks) {
    module_values read;
    simdjson::dom::object fields;
    if (value.get(fields)) return data_error(in_quotes(key) + " is no object");
    for (const auto field : fields) {
        double number = 0;
        if (field.value.get(number) || !std::isfinite(number) ||
            (ranks && (number < 1 || number > (1 << 16) || number != std::floor(number))))
            return data_error(in_quotes(key) + " has " + value_text(field.value) + " for " +
                              in_quotes(field.key));
        CUSET_ASSIGN(auto ending, compiled(key, "(.*\\.)?(" + std::string(field.key) + ')'));
        read.values.emplace_back(std::move(ending), number);
    }
    return read;
}

status read_layers(const simdjson::dom::object& fields, adapter_settings& settings) {
    simdjson::dom::element value;
    std::string_view name;
    if (fields["layers_pattern"].get(value) == simdjson::SUCCESS && !is_unset(value) &&
        (value.get(name) || !name.empty())) {
        CUSET_ASSIGN(const auto patterns, read_names("layers_pattern", value));
        for (const auto& pattern : patterns) {
            std::string expression = "(?:.*?\\.)?" + pattern;
            expression += "\\.(\\d+)\\..*";
            CUSET_ASSIGN(auto made, compiled("layers_pattern", expression));
            settings.lists.push_back(std::move(made));
        }
    }
    if (fields["layers_to_transform"].get(value) || is_unset(value)) return {};
    simdjson::dom::array entries;
    std::int64_t layer = 0;
    if (value.get(layer) == simdjson::SUCCESS) {
        settings.layers = {layer};
        return {};
    }
    const status wrong = data_error("\"layers_to_transform\" is no number and no list of numbers");
    if (value.get(entries)) return wrong;
    for (const auto entry : entries) {
        if (entry.get(layer)) return wrong;
        settings.layers.push_back(layer);
    }
    return {};
}

/// Settings that do not change what the stored matrices compute, or that are read below. Any other
/// setting is refused: a list of the harmful ones would be incomplete with the next peft.
constexpr std::string_view harmless[] = {
    "task_type",         "peft_type",
    "auto_mapping",      "peft_version",
    "revision",          "base_model_name_or_path",
    "inference_mode",    "r",
    "target_modules",    "exclude_modules",
    "lora_alpha",        "lora_dropout",
    "use_rslora",        "layers_to_transform",
    "layers_pattern",    "megatron_core",
    "qalora_group_size", "ensure_weight_tying",
    "eva_config",        "rank_pattern",
    "alpha_pattern",     "modules_to_save",
};

bool is_supported(std::string_view key, simdjson::dom::element value) {
    std::string_view name;
    const bool is_name = value.get(name) == simdjson::SUCCESS;
    if (key == "bias") return !is_name || name == "none";
    // The other ways to start change the base weights as well as A and B.
    if (key == "init_lora_weights")
        return value.is_bool() || value.is_null() ||
               (is_name && (name == "gaussian" || name == "orthogonal" || name == "eva"));
    return is_unset(value) || std::ranges::find(harmless, key) != std::end(harmless);
}

}  // namespace

result<adapter_settings> parse_adapter_settings(std::string_view json) {
    simdjson::dom::parser parser;
    CUSET_ASSIGN(const simdjson::dom::object fields, parse_object(parser, json));
    std::string_view type;
    if (fields["peft_type"].get(type) != simdjson::SUCCESS)
        return data_error("\"peft_type\" is missing or no string");
    if (type != "LORA")
        return unsupported("peft_type " + in_quotes(type) + " is not supported (LORA is)");
    std::string refusals;
    for (const auto field : fields)
        if (!is_supported(field.key, field.value))
            refusals += (refusals.empty() ? "" : ", ") + std::string(field.key) + ' ' +
                        value_text(field.value);
    if (!refusals.empty()) return unsupported("not supported: " + refusals);
    adapter_settings settings;
    simdjson::dom::element value;
    const auto is_set = [&](const char* key) {
        return fields[key].get(value) == simdjson::SUCCESS && !is_unset(value);
    };
    // peft's own choice for these architectures.
    settings.targets.ends = {"q_proj", "v_proj"};
    if (is_set("target_modules")) {
        CUSET_ASSIGN(settings.targets, read_choice("target_modules", value));
    }
    if (is_set("exclude_modules")) {
        CUSET_ASSIGN(settings.excluded, read_choice("exclude_modules", value));
    }
    if (is_set("rank_pattern")) {
        CUSET_ASSIGN(settings.ranks, read_values("rank_pattern", value, true));
    }
    if (is_set("alpha_pattern")) {
        CUSET_ASSIGN(settings.alphas, read_values("alpha_pattern", value, false));
    }
    if (is_set("modules_to_save")) {
        CUSET_ASSIGN(settings.saved, read_names("modules_to_save", value));
    }
    CUSET_TRY(read_layers(fields, settings));
    if (fields["r"].get(settings.rank) != simdjson::SUCCESS || settings.rank < 1 ||
        settings.rank > (1 << 16))
        return data_error("\"r\" is missing or no rank");
    if (fields["lora_alpha"].get(settings.alpha) != simdjson::SUCCESS ||
        !std::isfinite(settings.alpha))
        return data_error("\"lora_alpha\" is missing or no number");
    settings.rank_stabilised = is_set("use_rslora");
    settings.ensures_tying = is_set("ensure_weight_tying");
    return settings;
}

bool module_choice::holds(const std::string& module) const {
    if (expression) return std::regex_match(module, *expression);
    return all || std::ranges::any_of(ends, [&](const std::string& end) {
               return module == end || module.ends_with('.' + end);
           });
}

double module_values::of(const std::string& module, double otherwise) const {
    for (const auto& [ending, value] : values)
        if (std::regex_match(module, ending)) return value;
    return otherwise;
}

bool adapter_settings::names(const std::string& module, std::int64_t layer) const {
    if (excluded.holds(module)) return false;
    if (!targets.holds(module)) return false;
    if (targets.expression || layers.empty()) return true;
    const bool is_in_list = lists.empty() || std::ranges::any_of(lists, [&](const auto& list) {
                                return std::regex_match(module, list);
                            });
    return is_in_list && std::ranges::find(layers, layer) != layers.end();
}

bool adapter_settings::saves(std::string_view module) const {
    return std::ranges::any_of(saved,
                               [&](const std::string& end) { return module.ends_with(end); });
}

adapter_shape adapter_settings::shape_of(const std::string& module) const {
    return {static_cast<std::int64_t>(ranks.of(module, static_cast<double>(rank))),
            alphas.of(module, alpha), rank_stabilised};
}

}  // namespace cuset
