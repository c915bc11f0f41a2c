#include "glyphs.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cwchar>

namespace cuset {
namespace {

// Of valid UTF-8; what is not becomes U+FFFD, a byte at a time.
char32_t take_character(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(at);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC0 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                                             : 4;
    if (length == 0 || at + length > text.size()) return ++at, 0xFFFD;
    char32_t c = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0) != 0x80) return ++at, 0xFFFD;
        c = c << 6 | (byte(at + i) & 0x3F);
    }
    at += length;
    return c;
}

// Characters of width 0 that are no marks on others: marks of direction, joiners, separators, tags.
bool is_invisible(char32_t c) {
    struct range {
        char32_t first, last;
    };
    constexpr std::array ranges = std::to_array<range>({{0x80, 0x9F},
                                                        {0xAD, 0xAD},
                                                        {0x34F, 0x34F},
                                                        {0x61C, 0x61C},
                                                        {0x115F, 0x1160},
                                                        {0x17B4, 0x17B5},
                                                        {0x180B, 0x180F},
                                                        {0x200B, 0x200F},
                                                        {0x2028, 0x202E},
                                                        {0x2060, 0x206F},
                                                        {0x3164, 0x3164},
                                                        {0xFEFF, 0xFEFF},
                                                        {0xFFA0, 0xFFA0},
                                                        {0xFFF0, 0xFFFB},
                                                        {0x1BCA0, 0x1BCA3},
                                                        {0x1D173, 0x1D17A},
                                                        {0xE0000, 0xE0FFF}});
    for (const auto& r : ranges)
        if (c >= r.first && c <= r.last) return true;
    return false;
}

glyph named(char32_t c) {
    std::array<char, 16> name;
    const int length =
        std::snprintf(name.data(), name.size(), "<U+%04X>", static_cast<unsigned>(c));
    return {{name.data(), static_cast<std::size_t>(length)}, static_cast<std::size_t>(length)};
}

}  // namespace

glyph_reader::glyph_reader()
    : utf8_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)),
      before_(utf8_ ? ::uselocale(utf8_) : nullptr) {}

glyph_reader::~glyph_reader() {
    if (!utf8_) return;
    ::uselocale(before_);
    ::freelocale(utf8_);
}

glyph glyph_reader::next(std::string_view text, std::size_t& at, std::size_t column) const {
    const std::size_t begin = at;
    const char32_t c = take_character(text, at);
    if (c == '\t') {
        const std::size_t columns = tab_width - column % tab_width;
        return {std::string(columns, ' '), columns};
    }
    if (c < 0x20 || c == 0x7F) {
        const char32_t picture = c == 0x7F ? 0x2421 : 0x2400 + c;
        return {{static_cast<char>(0xE2), static_cast<char>(0x80 | (picture >> 6 & 0x3F)),
                 static_cast<char>(0x80 | (picture & 0x3F))},
                1};
    }
    if (c < 0x7F) return {std::string(1, static_cast<char>(c)), 1};
    if (is_invisible(c)) return named(c);
    if (c == 0xFFFD) return {"\xEF\xBF\xBD", 1};
    // Without the locale nothing is known of widths.
    const int columns = utf8_ ? ::wcwidth(static_cast<wchar_t>(c)) : 1;
    if (columns < 0) return named(c);
    return {std::string(text.substr(begin, at - begin)), static_cast<std::size_t>(columns)};
}

std::string safe_text(std::string_view text, const glyph_reader& reader) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) out += reader.next(text, at, 0).text;
    return out;
}

}  // namespace cuset
