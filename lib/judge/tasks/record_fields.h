// Fields of records that tasks and candidates share. Private to lib/judge.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>
#include <utility>

#include "cuset/base/status.h"
#include "cuset/judge/candidate.h"
#include "cuset/stream/json_text.h"

namespace cuset {

/// The limit in bytes for an answer, and for each program of a task.
inline constexpr std::size_t longest_text = std::size_t{16} << 20;
/// The limit in bytes for a line that cuset-eval reads: it has several answers, and the code of
/// each.
inline constexpr std::size_t longest_line = std::size_t{128} << 20;

/// A data error if the text of a field is longer than longest_text.
inline status check_length(std::string_view key, std::string_view text) {
    if (text.size() <= longest_text) return {};
    return data_error('"' + std::string(key) + "\" is larger than " +
                      std::to_string(longest_text >> 20) + " MiB");
}

/// The object on a line with line_padding readable bytes after it. A lone surrogate escape is
/// U+FFFD.
inline result<simdjson::dom::object> object_of(simdjson::dom::parser& parser,
                                               std::string_view line) {
    simdjson::dom::object fields;
    auto error = simdjson::SUCCESS;
    if (line.find("\\ud") == line.npos && line.find("\\uD") == line.npos) {
        error = parser.parse(line.data(), line.size(), false).get(fields);
    } else {
        std::string repaired(line);
        replace_lone_surrogates(repaired);
        error = parser.parse(repaired).get(fields);
    }
    if (!error) return fields;
    if (error == simdjson::INCORRECT_TYPE) return data_error("no JSON object");
    return data_error(std::string("no JSON: ") + simdjson::error_message(error));
}

/// The last of duplicate keys; the parser's own look-up finds the first.
inline simdjson::simdjson_result<simdjson::dom::element> last_field(
    const simdjson::dom::object& fields, std::string_view key) {
    simdjson::simdjson_result<simdjson::dom::element> found = simdjson::NO_SUCH_FIELD;
    for (auto field : fields)
        if (field.key == key) found = std::move(field.value);
    return found;
}

/// Whether there is such a field, and it is not null.
inline bool has(const simdjson::dom::object& fields, std::string_view key) {
    simdjson::dom::element value;
    return !last_field(fields, key).get(value) && !value.is_null();
}

inline status of_field(std::string_view key, const std::string& fault) {
    return data_error('"' + std::string(key) + "\" " + fault);
}

/// A string as it is, or an integer in decimal.
inline result<std::string> id_field(const simdjson::dom::object& fields, std::string_view key) {
    const std::string name = '"' + std::string(key) + '"';
    simdjson::dom::element value;
    if (last_field(fields, key).get(value)) return data_error(name + " is missing");
    std::string_view text;
    std::int64_t number = 0;
    if (!value.get(text)) return std::string(text);
    if (!value.get(number)) return std::to_string(number);
    return data_error(name + " is neither a string nor an integer");
}

inline result<std::uint64_t> sample_field(const simdjson::dom::object& fields) {
    std::uint64_t sample = 0;
    if (last_field(fields, "sample").get(sample) || sample >= most_samples)
        return data_error("\"sample\" is missing or no number from 0 to 9999");
    return sample;
}

}  // namespace cuset
