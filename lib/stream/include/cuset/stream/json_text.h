// JSON strings and numbers as text, for the few cases that simdjson does not handle (lone
// surrogates, numbers of any size, strings to write).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cuset {

/// Decodes the inside of a JSON string (between the quotes) and appends it to `out` as UTF-8. A
/// lone surrogate escape becomes U+FFFD. Returns false if an escape is malformed. The bytes must be
/// valid UTF-8 without control characters; simdjson has checked that.
bool decode_json_string(std::string_view inside, std::string& out);

/// Replaces each escape of a lone surrogate by \ufffd. Such half characters come from writers that
/// cut a text. simdjson refuses a high one, and turns a low one into invalid UTF-8.
void replace_lone_surrogates(std::string& json);

/// Whether `text` is exactly one JSON number, of any length and size. Behind it there must be a
/// byte that belongs to no number.
bool is_json_number(std::string_view text);

/// Appends `text` as a JSON string with its quotes. Control characters, quotes and backslashes are
/// escaped; all else stays as it is.
void append_json_string(std::string_view text, std::string& out);

/// 64 bits as 16 hexadecimal digits. As a JSON number, a reader's double would round them.
std::string hexadecimal(std::uint64_t bits);

}  // namespace cuset
