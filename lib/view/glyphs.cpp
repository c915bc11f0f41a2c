#include "glyphs.h"

#include <cwchar>

#include "cuset/base/format.h"
#include "cuset/base/visible_text.h"

namespace cuset {
namespace {

glyph named(char32_t c) {
    const std::string name = format("<U+%04X>", static_cast<unsigned>(c));
    return {name, name.size()};
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
    const char32_t c = next_character(text, at);
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
    if (c == ill_formed || c == 0xFFFD) return {"\xEF\xBF\xBD", 1};
    if (is_hidden(c)) return named(c);
    // Without that locale widths are unknown.
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
