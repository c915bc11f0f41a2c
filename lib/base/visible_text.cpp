#include "cuset/base/visible_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "cuset/base/format.h"

namespace cuset {

namespace {

void append_escape(char32_t c, std::string& out) {
    if (c == '\n') {
        out += "\\n";
    } else if (c == '\t') {
        out += "\\t";
    } else if (c == '\r') {
        out += "\\r";
    } else {
        const char* const form = c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x";
        out += format(form, static_cast<unsigned>(c));
    }
}

}  // namespace

char32_t next_character(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const unsigned first = byte(at), second = byte(at + 1);
    // Well-formed UTF-8 by table 3-7 of the Unicode standard.
    const std::size_t more = first >= 0xC2 && first <= 0xDF   ? 1
                             : first >= 0xE0 && first <= 0xEF ? 2
                             : first >= 0xF0 && first <= 0xF4 ? 3
                                                              : 0;
    bool well_formed = first < 0x80 || more > 0;
    for (std::size_t i = 1; i <= more; ++i)
        well_formed = well_formed && (byte(at + i) & 0xC0) == 0x80;
    well_formed = well_formed && !(first == 0xE0 && second < 0xA0) &&
                  !(first == 0xED && second > 0x9F) && !(first == 0xF0 && second < 0x90) &&
                  !(first == 0xF4 && second > 0x8F);
    if (!well_formed) {
        ++at;
        return ill_formed;
    }
    char32_t c = more == 0 ? first : first & (0x3FU >> more);
    for (std::size_t i = 1; i <= more; ++i) c = c << 6 | (byte(at + i) & 0x3F);
    at += more + 1;
    return c;
}

void append_utf8(char32_t c, std::string& out) {
    const auto byte = [&out](char32_t b) { out.push_back(static_cast<char>(b)); };
    if (c < 0x80) {
        byte(c);
    } else if (c < 0x800) {
        byte(0xC0 | c >> 6);
        byte(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        byte(0xE0 | c >> 12);
        byte(0x80 | (c >> 6 & 0x3F));
        byte(0x80 | (c & 0x3F));
    } else {
        byte(0xF0 | c >> 18);
        byte(0x80 | (c >> 12 & 0x3F));
        byte(0x80 | (c >> 6 & 0x3F));
        byte(0x80 | (c & 0x3F));
    }
}

bool is_hidden(char32_t c) {
    if (c < 0x20 || c > 0x10FFFF) return true;
    if (c < 0x7F) return false;
    struct range {
        char32_t first, last;
    };
    // Each of these has width 0 and is no mark on another character, or has width 1 and shows
    // nothing.
    constexpr std::array ranges = std::to_array<range>({
        {0x7F, 0x9F},        // DEL, C1 controls
        {0xAD, 0xAD},        // soft hyphen
        {0x34F, 0x34F},      // combining grapheme joiner
        {0x61C, 0x61C},      // Arabic letter mark
        {0x115F, 0x1160},    // Hangul fillers
        {0x17B4, 0x17B5},    // Khmer inherent vowels
        {0x180B, 0x180F},    // Mongolian variation selectors
        {0x200B, 0x200F},    // zero width space and joiners, marks of direction
        {0x2028, 0x202E},    // separators of lines and paragraphs, embeddings and overrides
        {0x2060, 0x206F},    // word joiner, isolates, deprecated format characters
        {0x3164, 0x3164},    // Hangul filler
        {0xD800, 0xDFFF},    // surrogates
        {0xFDD0, 0xFDEF},    // noncharacters
        {0xFEFF, 0xFEFF},    // byte order mark
        {0xFFA0, 0xFFA0},    // halfwidth Hangul filler
        {0xFFF0, 0xFFFB},    // unassigned, interlinear annotations
        {0x1BCA0, 0x1BCA3},  // shorthand format controls
        {0x1D173, 0x1D17A},  // musical format controls
        {0xE0000, 0xE0FFF},  // tags, variation selectors
    });
    for (const auto& r : ranges)
        if (c >= r.first && c <= r.last) return true;
    return (c & 0xFFFE) == 0xFFFE;
}

std::string_view beginning_of(std::string_view text, std::size_t most) {
    constexpr std::size_t longest_character = 4;
    if (text.size() <= most) return text;
    for (std::size_t less = 0; less <= most && less < longest_character; ++less)
        if ((static_cast<unsigned char>(text[most - less]) & 0xC0) != 0x80)
            return text.substr(0, most - less);
    return text.substr(0, most);
}

std::string visible_lines(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out += visible_text(text.substr(at, end - at));
        if (end < text.size()) out += '\n';
        at = end + 1;
    }
    return out;
}

std::string visible_text(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        const char32_t c = next_character(text, at);
        if (c == ill_formed) {
            append_escape(static_cast<unsigned char>(text[begin]), out);
        } else if (is_hidden(c)) {
            append_escape(c, out);
        } else {
            out += text.substr(begin, at - begin);
        }
    }
    return out;
}

}  // namespace cuset
