// Parsing JSON files, and words for messages about them. Private to lib/model.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

/// A file's bytes as text.
inline std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// `text` between double quotes, cut after 100 bytes, with control characters (which would break a
/// one-line message) as '?'.
inline std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : text.substr(0, 100)) {
        const auto byte = static_cast<unsigned char>(c);
        out += byte < 0x20 || byte == 0x7f ? '?' : c;
    }
    return out + (text.size() > 100 ? "…\"" : "\"");
}

/// simdjson's words for an error.
inline std::string json_fault(simdjson::error_code error) { return simdjson::error_message(error); }

/// The object that `text` holds. The error is "no JSON: …" or "no JSON object".
inline result<simdjson::dom::object> parse_object(simdjson::dom::parser& parser,
                                                  std::string_view text) {
    simdjson::dom::element root;
    simdjson::dom::object object;
    // simdjson would copy an empty text from null.
    const auto error =
        text.empty() ? simdjson::EMPTY : parser.parse(text.data(), text.size()).get(root);
    if (error) return data_error("no JSON: " + json_fault(error));
    if (root.get(object)) return data_error("no JSON object");
    return object;
}

/// The value as a message shows it.
inline std::string value_text(simdjson::dom::element value) {
    return simdjson::minify(value).substr(0, 100);
}

inline status refused(std::string_view key, simdjson::dom::element value) {
    return unsupported(std::string(key) + ' ' + value_text(value) + " is not supported");
}

/// "[49152, 576]".
inline std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string out = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        out += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return out + "]";
}

}  // namespace cuset
