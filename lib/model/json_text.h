// Words for messages about JSON input. Private to lib/model.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cuset {

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

/// "[49152, 576]".
inline std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string out = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        out += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    }
    return out + "]";
}

}  // namespace cuset
