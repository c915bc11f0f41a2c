#include "tasks/plain_signs.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace cuset {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// A character of UTF-8 that begins a text, with its length.
std::pair<std::uint32_t, std::size_t> character_of(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    const std::size_t length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (length == 1 || text.size() < length) return {first, 1};
    std::uint32_t value = first & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i)
        value = value << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
    return {value, length};
}

/// The exponent's digit that a raised one is; nothing of other characters.
std::optional<char> raised(std::uint32_t c) {
    if (c == 0xB9) return '1';
    if (c == 0xB2 || c == 0xB3) return static_cast<char>('0' + (c - 0xB0));
    if (c == 0x2070 || (c >= 0x2074 && c <= 0x2079)) return static_cast<char>('0' + (c - 0x2070));
    if (c == 0x207B) return '-';
    return {};
}

bool is_space(std::uint32_t c) {
    return c == 0xA0 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000;
}

/// What the reader takes for a character beyond ASCII: an operator, or the end of an expression.
/// Nothing of those that stay, such as letters and roots.
std::optional<std::string_view> plain_form(std::uint32_t c, bool stands_alone) {
    switch (c) {
        case 0x2013: return stands_alone ? ";" : "-";
        case 0x2010:
        case 0x2011:
        case 0xFE63: return "-";
        case 0xF7:
        case 0x2044:
        case 0x2215: return "/";
        case 0x22C5:
        case 0x2219:
        case 0x2217: return "·";
        case 0x2715:
        case 0x2716: return "×";
        case 0xFF0C: return ",";
        case 0x2019: return "'";
        case 0xFEFF: return "";
        case 0x2212:  // an operator as it is
        case 0xB7: return {};
        default: break;
    }
    if ((c >= 0x200B && c <= 0x200F) || c == 0x2060) return "";
    if (c >= 0x2211 && c <= 0x221C && c != 0x2218) return {};  // sums and roots
    const bool ends = (c >= 0xA1 && c <= 0xBB) || (c >= 0x2010 && c <= 0x206F) ||
                      (c >= 0x2190 && c <= 0x22FF) || (c >= 0x3001 && c <= 0x303F) ||
                      (c >= 0xFF01 && c <= 0xFF0F) || c == 0xFF1A || c == 0xFF1B || c == 0xFF1D;
    return ends ? std::optional<std::string_view>(";") : std::nullopt;
}

}  // namespace

std::string in_plain_signs(std::string_view text) {
    std::string plain;
    bool is_raised = false;
    while (!text.empty()) {
        const auto [c, length] = character_of(text);
        const std::string_view behind = text.substr(length);
        const char next = behind.empty() ? '\0' : behind.front();
        const char before = plain.empty() ? '\0' : plain.back();
        const auto digit = raised(c);
        if (digit) {
            if (!is_raised) plain += '^';
            plain += *digit;
        } else if (is_space(c)) {
            plain += is_digit(before) && is_digit(next) ? "\\," : " ";
        } else {
            const bool stands_alone = is_blank(before) && is_blank(next);
            const auto form = c < 0x80 ? std::nullopt : plain_form(c, stands_alone);
            plain += form.value_or(text.substr(0, length));
        }
        is_raised = digit.has_value();
        text = behind;
    }
    return plain;
}

}  // namespace cuset
