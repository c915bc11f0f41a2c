#include "cuset/stream/json_text.h"

#include <charconv>
#include <cinttypes>

#include "cuset/base/format.h"
#include "cuset/base/visible_text.h"
#include "number_array.h"

namespace cuset {
namespace {

constexpr char32_t replacement_character = 0xFFFD;

// Reads the four hexadecimal digits of \uXXXX at text[at]; false if there are not four.
bool read_hex4(std::string_view text, std::size_t at, char32_t& value) {
    if (at + 4 > text.size()) return false;
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + 4, number, 16);
    value = number;
    return error == std::errc{} && end == text.data() + at + 4;
}

bool is_high_surrogate(char32_t c) { return c >= 0xD800 && c < 0xDC00; }
bool is_low_surrogate(char32_t c) { return c >= 0xDC00 && c < 0xE000; }

// Appends the character of \uXXXX at inside[at] and moves `at` past it (and past the second half of
// a pair).
bool decode_unicode_escape(std::string_view inside, std::size_t& at, std::string& out) {
    char32_t c = 0;
    if (!read_hex4(inside, at + 2, c)) return false;
    at += 6;
    if (is_high_surrogate(c)) {
        char32_t low = 0;
        if (inside.substr(at).starts_with("\\u") && read_hex4(inside, at + 2, low) &&
            is_low_surrogate(low)) {
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
            at += 6;
        } else {
            c = replacement_character;
        }
    } else if (is_low_surrogate(c)) {
        c = replacement_character;
    }
    append_utf8(c, out);
    return true;
}

}  // namespace

bool decode_json_string(std::string_view inside, std::string& out) {
    out.reserve(out.size() + inside.size());
    for (std::size_t at = 0; at < inside.size();) {
        const std::size_t backslash = std::min(inside.find('\\', at), inside.size());
        out.append(inside, at, backslash - at);
        at = backslash;
        if (at == inside.size()) break;
        if (at + 1 == inside.size()) return false;
        char plain = 0;
        switch (inside[at + 1]) {
            case '"': plain = '"'; break;
            case '\\': plain = '\\'; break;
            case '/': plain = '/'; break;
            case 'b': plain = '\b'; break;
            case 'f': plain = '\f'; break;
            case 'n': plain = '\n'; break;
            case 'r': plain = '\r'; break;
            case 't': plain = '\t'; break;
            case 'u':
                if (!decode_unicode_escape(inside, at, out)) return false;
                continue;
            default: return false;
        }
        out.push_back(plain);
        at += 2;
    }
    return true;
}

void replace_lone_surrogates(std::string& json) {
    for (std::size_t at = 0; (at = json.find('\\', at)) != json.npos; at += 2) {
        char32_t c = 0, low = 0;
        if (json.compare(at + 1, 1, "u") != 0 || !read_hex4(json, at + 2, c)) continue;
        if (is_high_surrogate(c) && json.compare(at + 6, 2, "\\u") == 0 &&
            read_hex4(json, at + 8, low) && is_low_surrogate(low)) {
            at += 10;
        } else if (is_high_surrogate(c) || is_low_surrogate(c)) {
            json.replace(at + 2, 4, "fffd");
        }
    }
}

bool is_json_number(std::string_view text) {
    any_number number;
    return number_array::read(text.data(), number) == text.data() + text.size();
}

void append_json_string(std::string_view text, std::string& out) {
    out.push_back('"');
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out.push_back('\\');
            out.push_back(c);
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (c == '\r') {
            out += "\\r";
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += format("\\u%04x", static_cast<unsigned>(c));
        } else {
            out.push_back(c);
        }
    }
    out.push_back('"');
}

std::string hexadecimal(std::uint64_t bits) { return format("%016" PRIx64, bits); }

}  // namespace cuset
