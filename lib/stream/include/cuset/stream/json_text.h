// JSON strings and numbers as text: the few places where simdjson has no answer (lone surrogates,
// numbers of any size, strings to write).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cuset {

/// Decodes the inside of a JSON string (between the quotes) and appends it to `out` as UTF-8. A
/// lone surrogate escape becomes U+FFFD. False where an escape is malformed. The bytes themselves
/// are taken to be valid UTF-8 without control characters: simdjson has checked that.
bool decode_json_string(std::string_view inside, std::string& out);

/// Puts \ufffd in the place of each escape of a lone surrogate: half a character, which writers
/// leave where a text was cut. simdjson refuses a high one, and makes of a low one what is no
/// UTF-8.
void replace_lone_surrogates(std::string& json);

/// True for exactly one JSON number, of any length and size.
bool is_json_number(std::string_view text);

/// Appends `text` as a JSON string with its quotes: control characters, quote and backslash are
/// escaped, all else stands as it is.
void append_json_string(std::string_view text, std::string& out);

/// 64 bits as 16 hexadecimal digits: what a double would round.
std::string hexadecimal(std::uint64_t bits);

}  // namespace cuset
