#include "missing_field.h"

#include <simdjson.h>

#include <algorithm>

#include "cuset/stream/line_reader.h"

namespace cuset {
namespace {

constexpr std::size_t most_named = 8;
constexpr std::size_t longest_name = 40;

}  // namespace

std::vector<std::string> top_level_keys(std::string_view line) {
    std::vector<std::string> keys;
    simdjson::dom::parser parser;
    simdjson::dom::object object;
    // The padding is there, so that nothing is copied.
    if (parser.parse(line.data(), line.size(), false).get(object)) return keys;
    for (const auto member : object)
        if (!member.value.is_null() &&
            std::find(keys.begin(), keys.end(), member.key) == keys.end())
            keys.emplace_back(member.key);
    return keys;
}

status missing_field(std::string_view field, const std::vector<std::string>& there,
                     std::string_view option) {
    std::string text = '"' + std::string(field) + "\" is missing";
    std::string names;
    for (std::size_t i = 0; i < std::min(there.size(), most_named); ++i) {
        const std::string& name = there[i];
        names += (i == 0 ? "\"" : ", \"") + name.substr(0, longest_name);
        names += name.size() > longest_name ? "…\"" : "\"";
    }
    if (there.size() > most_named)
        names += " and " + std::to_string(there.size() - most_named) + " more";
    if (!names.empty())
        text += "; there " + std::string(there.size() == 1 ? "is " : "are ") + names;
    if (!names.empty() && !option.empty()) text += " (" + std::string(option) + " names another)";
    return data_error(std::move(text));
}

}  // namespace cuset
