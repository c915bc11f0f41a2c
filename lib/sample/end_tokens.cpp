#include "cuset/sample/end_tokens.h"

#include <simdjson.h>

#include <algorithm>
#include <optional>

namespace cuset {

namespace {

namespace dom = simdjson::dom;
namespace fs = std::filesystem;

/// Reads eos_token_id from the file; returns nothing if the file or the field is missing.
result<std::optional<std::vector<std::int32_t>>> ids_in(const fs::path& file) {
    using ids = std::optional<std::vector<std::int32_t>>;
    std::error_code error;
    if (!fs::exists(file, error)) return ids();
    dom::parser parser;
    dom::element root, field;
    if (const auto failed = parser.load(file.string()).get(root))
        return data_error(file.string() + ": " + simdjson::error_message(failed));
    if (root["eos_token_id"].get(field) || field.is_null()) return ids();
    std::vector<std::int32_t> found;
    const auto add = [&](dom::element element) {
        std::int64_t id = 0;
        if (element.get(id) || id < 0 || id > INT32_MAX) return false;
        found.push_back(static_cast<std::int32_t>(id));
        return true;
    };
    dom::array several;
    const bool right =
        field.get(several) ? add(field) : std::all_of(several.begin(), several.end(), add);
    if (!right) return data_error(file.string() + ": \"eos_token_id\" is no token or list of them");
    return ids(std::move(found));
}

}  // namespace

result<std::vector<std::int32_t>> end_tokens(const fs::path& model_folder, const tokenizer& words,
                                             std::string_view tail) {
    CUSET_ASSIGN(auto found, ids_in(model_folder / "generation_config.json"));
    if (!found) {
        CUSET_ASSIGN(found, ids_in(model_folder / "config.json"));
    }
    std::vector<std::int32_t> ends = found.value_or(std::vector<std::int32_t>());
    std::vector<std::int32_t> behind;
    CUSET_TRY(words.encode(tail, behind));
    if (!behind.empty() && words.is_special(behind.front()) &&
        std::find(ends.begin(), ends.end(), behind.front()) == ends.end())
        ends.push_back(behind.front());
    return ends;
}

}  // namespace cuset
