// JSON strings and numbers as text, for the few cases that simdjson does not handle (lone
// surrogates, numbers of any size, writing).
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

/// Whether `text` is exactly one JSON number, of any length and size.
bool is_json_number(std::string_view text);

/// Appends `text` as a JSON string with its quotes. Control characters, quotes and backslashes are
/// escaped; all else stays as it is.
void append_json_string(std::string_view text, std::string& out);

/// 64 bits as 16 hexadecimal digits. As a JSON number, a reader's double would round them.
std::string hexadecimal(std::uint64_t bits);

/// Appends a record's id, which is kept as text. It is written as a number if it is an integer.
void append_id(std::string_view id, std::string& out);

/// Appends a finite number in decimal with `digits` significant digits, in the shorter form of %g.
void append_number(double value, int digits, std::string& out);
void append_number(std::size_t value, std::string& out);

}  // namespace cuset
